/** How bad it is: it breaks a MUST; it breaks a SHOULD or some clients; it could be better for those who use it. */
export type Level = "error" | "warning" | "note";

/** What a server owes, to whom, and how to mend what breaks it. */
export interface Rule {
  readonly level: Level;
  readonly says: string;
  readonly mend: string;
  /** The revision, page and anchor of the specification that asks for it; nothing where practice does. */
  readonly page?: string;
}

export const error = (page: string, says: string, mend: string): Rule => ({
  level: "error",
  page,
  says,
  mend,
});
export const warning = (page: string, says: string, mend: string): Rule => ({
  level: "warning",
  page,
  says,
  mend,
});
export const note = (page: string, says: string, mend: string): Rule => ({ level: "note", page, says, mend });
export const practice = (level: Level, says: string, mend: string): Rule => ({ level, says, mend });
