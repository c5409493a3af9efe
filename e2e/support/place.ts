import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { undoAtEnd } from "./afterwards.ts";

/** An empty folder that goes with the tests, under its real name. */
export function createPlace(): string {
  const place = realpathSync(mkdtempSync(join(tmpdir(), "suite-e2e-")));
  undoAtEnd(() => rmSync(place, { recursive: true, force: true }));
  return place;
}
