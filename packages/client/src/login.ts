import { spawn } from "node:child_process";
import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join } from "node:path";

import {
  createClientAuthorization,
  type LoginStore,
  openLoopbackLogin,
  type SavedLogin,
} from "@suite/auth/client";
import type { ClientAuthorization } from "@suite/core/client";

import type { Wanted } from "./arguments.ts";

/** The same every time, if it is free: a registration is for one address to come back to. */
const PORT = 47_621;

/** Asks a person to log in, in a browser, when the server wants that. */
export async function createLogin(
  server: URL,
  { clientId, opensBrowser, forgets }: Pick<Wanted, "clientId" | "opensBrowser" | "forgets">,
): Promise<{ readonly authorization: ClientAuthorization; readonly close: () => void }> {
  const show = (address: URL): void => {
    process.stderr.write(`Log in at ${address.href}\n`);
    if (opensBrowser && process.env["CI"] === undefined && process.stderr.isTTY) openInBrowser(address);
  };
  const login = await openLoopbackLogin({ show, port: PORT }).catch(() => openLoopbackLogin({ show }));
  const secret = process.env["SUITE_CLIENT_SECRET"];
  const authorization = createClientAuthorization({
    server,
    grant: login,
    clientName: "suite-client",
    store: createFileStore(forgets),
    ...(clientId !== undefined && { client: { id: clientId, ...(secret !== undefined && { secret }) } }),
  });
  return { authorization, close: () => login.close() };
}

/** The address is an argument of its own, which no shell reads. */
function openInBrowser({ href }: URL): void {
  const [command, ...args]: readonly [string, ...string[]] =
    process.platform === "win32"
      ? // By its name, Windows would look for it in the working directory first.
        [
          join(process.env["SystemRoot"] ?? String.raw`C:\Windows`, "System32", "rundll32.exe"),
          "url.dll,FileProtocolHandler",
        ]
      : [process.platform === "darwin" ? "open" : "xdg-open"];
  const child = spawn(command, [...args, href], { stdio: "ignore", detached: true });
  // The address was printed: it can be opened by hand.
  child.on("error", () => undefined);
  child.unref();
}

/** A file that only its owner can read. */
function createFileStore(forgets: boolean): LoginStore {
  const state =
    process.env["XDG_STATE_HOME"] ?? process.env["LOCALAPPDATA"] ?? join(homedir(), ".local/state");
  const path = join(state, "suite-client", "logins.json");
  const readAll = async (): Promise<{ readonly [server: string]: SavedLogin }> => {
    try {
      return JSON.parse(await readFile(path, "utf8")) as { readonly [server: string]: SavedLogin };
    } catch {
      return {};
    }
  };
  return {
    load: async (server) => (forgets ? undefined : (await readAll())[server]),
    async save(server, login) {
      const all = { ...(await readAll()), [server]: login };
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      const draft = `${path}.${process.pid}`;
      await writeFile(draft, JSON.stringify(all), { mode: 0o600 });
      await rename(draft, path);
    },
  };
}
