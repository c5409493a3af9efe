import { ClientRoots, type ServerConfig } from "@suite/server-kit";
import { Children, isWithin, PathGuard } from "@suite/server-kit/domain";
import { type ProgramContext, requireDirectory } from "@suite/server-kit/program";

import { Git } from "./domain/git/git.ts";
import { Repositories } from "./domain/repository/repositories.ts";
import { Changes } from "./domain/writing/changes.ts";
import { clearStale, type Processes } from "./domain/writing/change-marker.ts";
import { RepositoryWatchers } from "./domain/watching/repository-watch.ts";
import { introduction } from "./introduction.ts";
import type { GitOptions } from "./options.ts";
import type { GitState } from "./state.ts";
import { whyUnavailable } from "./tool-groups.ts";
import { prompts } from "./prompts/index.ts";
import { admitWatcher, templates } from "./resources/index.ts";
import { tools } from "./tools/index.ts";

/** For `processes`: the part that starts is smaller without them. */
export { findUnheld, isRunning, startOf } from "@suite/server-kit/domain";

export interface GitServerContext extends Pick<ProgramContext, "contract" | "log"> {
  readonly env: NodeJS.ProcessEnv;
  readonly processes: Processes;
}

export function configureGit(given: GitOptions, context: GitServerContext): ServerConfig<GitState> {
  const { contract, processes } = context;
  const { info, instructions } = introduction;
  const children = new Children();
  const state = createState(given, context, children);
  if (!contract.readOnly) clearStaleLater(state, processes);
  // The client reads the answer to its first question meanwhile.
  state.git.warm();
  return {
    ...info,
    instructions,
    state,
    tools,
    checksResults: false,
    whyUnavailable: (tool) => whyUnavailable(tool, given),
    templates,
    prompts,
    admitSubscriber: admitWatcher,
    dispose: async () => {
      await state.watching.close();
      await children.dispose();
    },
  };
}

function createState(
  given: GitOptions,
  { contract, log, env, processes }: GitServerContext,
  children: Children,
): GitState {
  const named = [...given.repositories, ...given.repository].map((directory) => requireDirectory(directory));
  const directories = [...named, ...given.allowDir.map((directory) => requireDirectory(directory))];
  const real = new PathGuard({ roots: named }).roots;
  const trusted = given.trustRepository;
  const git = new Git({ env, trusted, signs: given.sign, pid: processes.pid }, children);
  return {
    roots: new ClientRoots({
      directories,
      policy: given.roots,
      http: given.http,
      // A folder inside a repository that was named stands for all of it: there is no git in a part.
      createGuard: (asked) =>
        new PathGuard({ roots: asked.map((path) => real.find((root) => isWithin(path, root)) ?? path) }),
      hint: "Start the server with a repository, as in: suite-server-git --repository /home/me/project",
      warn: (message) => log.warning(message),
    }),
    repositories: new Repositories(real, { trusted }),
    git,
    watching: new RepositoryWatchers(),
    changes: new Changes(processes, given.noUndo, contract.report),
    policy: given,
  };
}

/** After a server that was killed while it wrote. Nobody waits for it. */
function clearStaleLater({ roots, repositories }: GitState, processes: Processes): void {
  setImmediate(() => {
    const guard = roots.latest;
    if (!guard) return;
    for (const { repository } of repositories.list(guard)) {
      try {
        clearStale(repository, processes);
      } catch {
        // Whoever writes there is told.
      }
    }
  });
}
