import { countOf } from "@suite/server-kit/domain";

/** Ids and dates of commits in lists, the same in both views: git takes such an id for the commit, and git_show has the rest. */
export const toShortId = (id: string): string => id.slice(0, 10);
export const toDay = (date: string): string => date.slice(0, 10);

interface Part {
  readonly shown: number;
  /** Of all there are, if that is known. */
  readonly total?: number | undefined;
  /** Whether there are more after these. */
  readonly isMore: boolean;
  readonly skip?: number | undefined;
}

/** As in "12 commits:", "First 10 of 34 commits:" or "11-20 of more than 20 commits:". */
export function toHeading({ shown, total, isMore, skip = 0 }: Part, one: string, many = `${one}s`): string {
  if (!isMore && skip === 0) return `${countOf(shown, one, many)}:`;
  const end = skip + shown;
  const which = skip === 0 ? `First ${shown}` : `${skip + 1}-${end}`;
  return `${which} of ${isMore ? (total ?? `more than ${end}`) : end} ${many}:`;
}
