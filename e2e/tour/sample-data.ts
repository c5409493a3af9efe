import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export const MINUTES = "minutes.md";

const FILES: Readonly<Record<string, string>> = {
  [MINUTES]: "# Minutes\n\n- Ship the example first.\n- Measure before and after.\n",
};

/** A folder of this run's own with something in it to work on. It goes with the process, however that ends. */
export function createSampleFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "suite-tour-"));
  process.once("exit", () => removeSampleFolder(folder));
  for (const [name, text] of Object.entries(FILES)) writeFileSync(join(folder, name), text);
  return folder;
}

export function removeSampleFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
}
