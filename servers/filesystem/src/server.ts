import { ClientRoots, type ServerConfig } from "@suite/server-kit";
import { DocumentFiles, PathGuard, protectGit } from "@suite/server-kit/domain";
import { type ProgramContext, type ProgramOptions, requireDirectory } from "@suite/server-kit/program";

import { PathWatch } from "./domain/watching/path-watch.ts";
import { ChangeJournal } from "./domain/writing/changes/journal.ts";
import { protectReserved } from "./domain/reserved-names.ts";
import { introduction } from "./introduction.ts";
import type { options, positionals } from "./options.ts";
import { prompts } from "./prompts/prompts.ts";
import { RecoveryScheduler } from "./recovery-scheduler.ts";
import { admitWatcher, fileTemplate } from "./resources/file.ts";
import type { FilesystemState } from "./state.ts";
import { whyUnavailable } from "./tool-groups.ts";
import { tools } from "./tools/index.ts";

export type FilesystemOptions = ProgramOptions<typeof options, typeof positionals>;

interface FilesystemProgram extends Pick<ProgramContext, "contract" | "log"> {
  /** Id of this process, recorded with each change. */
  readonly pid: number;
}

const DOCUMENT_MS = 30_000;
const INSTALL =
  "The operator can install it beside the server: npx -y -p @suite/server-filesystem -p @suite/documents suite-server-filesystem. read_media_file gives the bytes.";
const DAY_MS = 24 * 60 * 60_000;

export function configureFilesystem(
  given: FilesystemOptions,
  { contract, log, pid }: FilesystemProgram,
): ServerConfig<FilesystemState> {
  const { info, instructions } = introduction;
  const changes = new ChangeJournal({
    keep: !given.noUndo,
    isShared: given.sharedUndo,
    maxEntries: 1000,
    maxBytes: 1024 ** 3,
    maxAgeMs: given.undoDays * DAY_MS,
    pid,
  });
  const recovery = new RecoveryScheduler(changes, log, contract.readOnly);
  const roots = new ClientRoots({
    directories: given.directories.map((directory) => requireDirectory(directory)),
    policy: given.roots,
    http: given.http,
    createGuard: (directories) =>
      new PathGuard({
        roots: directories,
        links: given.links,
        protect: (path) => protectReserved(path) ?? (given.allowGitWrites ? undefined : protectGit(path)),
      }),
    opened: (guard) => recovery.schedule(guard),
    hint: "Start the server with the directories it may use, as in: suite-server-filesystem /home/me/project",
    warn: (message) => log.warning(message),
  });
  const watching = new PathWatch({ guard: () => roots.latest });
  const documents = new DocumentFiles({
    load: () => import("@suite/documents"),
    hint: INSTALL,
    timeoutMs: Math.min(DOCUMENT_MS, given.timeout),
  });
  return {
    ...info,
    instructions,
    state: { roots, changes, watching, documents },
    tools,
    checksResults: false,
    whyUnavailable: (tool) => whyUnavailable(tool, given),
    templates: [fileTemplate],
    admitSubscriber: admitWatcher,
    prompts,
    dispose: async () => {
      watching.close();
      await Promise.all([recovery.close(), documents.dispose()]);
    },
  };
}
