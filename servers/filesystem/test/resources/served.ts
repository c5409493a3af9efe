import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { ClientRoots, createServer, defaultContract, type Server } from "@suite/server-kit";
import { PathGuard } from "@suite/server-kit/domain";
import { connectInMemory } from "@suite/server-kit/testing";
import { toFileUri } from "../../src/domain/uris.ts";
import { PathWatch } from "../../src/domain/watching/path-watch.ts";
import { prompts } from "../../src/prompts/prompts.ts";
import { fileTemplate } from "../../src/resources/file.ts";
import type { FilesystemState } from "../../src/state.ts";

/** A root with files in it, and the resources and prompts of this server over it. */
export class Served {
  readonly base: string = realpathSync(mkdtempSync(join(tmpdir(), "served-")));
  readonly root: string = join(this.base, "root");
  readonly watching: PathWatch;
  readonly server: Server<FilesystemState>;

  constructor(
    files: Readonly<Record<string, string | Uint8Array>> = {},
    roots: readonly string[] = ["root"],
  ) {
    const directories = roots.map((root) => join(this.base, root));
    for (const directory of directories) mkdirSync(directory, { recursive: true });
    for (const [path, content] of Object.entries(files)) this.write(path, content);
    const createGuard = (given: readonly string[]): PathGuard => new PathGuard({ roots: given });
    const bounds = { directories, policy: "narrow", http: undefined } as const;
    const clientRoots = new ClientRoots({ ...bounds, createGuard, hint: "" });
    this.watching = new PathWatch({ guard: () => clientRoots.latest });
    this.server = createServer(
      {
        name: "filesystem",
        version: "1",
        // The journal is for tools that write, and there are none here.
        state: { roots: clientRoots, watching: this.watching } as FilesystemState,
        tools: [],
        templates: [fileTemplate],
        prompts,
        dispose: ({ watching }) => watching.close(),
      },
      defaultContract,
    );
  }

  /** Relative to the root, or to the folder around it with `../`. */
  path(path: string): string {
    return join(this.root, path);
  }

  uri(path: string): string {
    return toFileUri(this.path(path));
  }

  write(path: string, content: string | Uint8Array): void {
    mkdirSync(dirname(this.path(path)), { recursive: true });
    writeFileSync(this.path(path), content);
  }

  connect(revision: string): ReturnType<typeof connectInMemory> {
    return connectInMemory(this.server, { revision });
  }

  async remove(): Promise<void> {
    await this.server.dispose();
    rmSync(this.base, { recursive: true, force: true });
  }
}
