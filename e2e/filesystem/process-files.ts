import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";

/** What a process has open, where the system tells. */
export function filesOpenIn(pid: number | undefined): readonly string[] {
  return lookAtEach(`/proc/${pid}/fd`, readlinkSync) ?? [];
}

/** How many files and directories a process is being told about; undefined where the system does not tell. */
export function watchesOf(pid: number | undefined): number | undefined {
  const lists = lookAtEach(`/proc/${pid}/fdinfo`, (path) => readFileSync(path, "utf8"));
  return lists?.join("\n").match(/^inotify wd:/gm)?.length ?? (lists && 0);
}

/** What goes while we look was not worth a look. */
function lookAtEach(folder: string, look: (path: string) => string): readonly string[] | undefined {
  try {
    return readdirSync(folder).flatMap((name) => {
      try {
        return [look(join(folder, name))];
      } catch {
        return [];
      }
    });
  } catch {
    return undefined;
  }
}
