const AROUND = 3;

/** What changes in a file, as a unified diff of one hunk: from the first line that differs to the last. */
export function toDiff(path: string, before: string | undefined, after: string): string {
  const [old, now] = [toLines(before ?? ""), toLines(after)];
  let start = 0;
  while (start < old.length && start < now.length && old[start] === now[start]) start += 1;
  let same = 0;
  const most = Math.min(old.length, now.length) - start;
  while (same < most && old.at(-1 - same) === now.at(-1 - same)) same += 1;
  const from = Math.max(0, start - AROUND);
  const tail = Math.max(0, same - AROUND);
  const [oldCount, newCount] = [old.length - tail - from, now.length - tail - from];
  const mark = (sign: string, lines: readonly string[]): string[] =>
    lines.map((line) =>
      line.endsWith("\n") ? sign + line : `${sign}${line}\n\\ No newline at end of file\n`,
    );
  const end = old.length - same;
  return [
    before === undefined ? "--- /dev/null\n" : `--- a/${path}\n`,
    `+++ b/${path}\n`,
    `@@ -${oldCount === 0 ? from : from + 1},${oldCount} +${newCount === 0 ? from : from + 1},${newCount} @@\n`,
    ...mark(" ", old.slice(from, start)),
    ...mark("-", old.slice(start, end)),
    ...mark("+", now.slice(start, now.length - same)),
    ...mark(" ", old.slice(end, end + AROUND)),
  ].join("");
}

/** Each with its end. */
const toLines = (text: string): string[] => text.match(/[^\n]*\n|[^\n]+$/g) ?? [];

/** A unified diff, file by file, each as it is. */
export function splitDiff(diff: string): string[] {
  return diff.split(/^(?=diff --git )/m).filter((part) => part !== "");
}
