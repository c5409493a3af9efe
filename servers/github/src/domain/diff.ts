/** A unified diff, file by file, each as it is. */
export function splitDiff(diff: string): string[] {
  return diff.split(/^(?=diff --git )/m).filter((part) => part !== "");
}
