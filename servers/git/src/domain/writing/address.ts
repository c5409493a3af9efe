import { lstatSync } from "node:fs";
import { platform } from "node:os";
import { basename, dirname, isAbsolute, resolve, sep } from "node:path";

import { Fault, type PathGuard, quotePath, type SafePath } from "@suite/server-kit/domain";

import { redactUrls } from "../git/redact-url.ts";
import { findReal, openAt, type RepositoryOptions } from "../repository/repository.ts";

const PROTOCOLS: { readonly [scheme: string]: string } = {
  https: "https",
  // An http server may redirect to https; an https one may not redirect to http.
  http: "http:https",
  ssh: "ssh",
  git: "git",
  file: "file",
};

const SCHEME = /^([a-z][a-z0-9+.-]*):\/\//i;
/** The scp-like form, as in git@example.org:project.git. */
const SCP = /^(?:[\w.+-]+@)?[A-Za-z0-9[][\w.:[\]-]*:(?!:)/;
/** To git on Windows, `C:` is a drive and not a host, also in file:///C:/project. */
const DRIVE = platform() === "win32" ? /^[a-z]:/i : /^(?!)/;
/** The sending side reads its own configuration, and git before 2.45 fetches objects missing there before it sends them. */
const PARTIAL = /^(?:extensions\.partialclone|remote\.(?:partialclonefilter|promisor))$/;

export interface Address {
  /** Protocols that git may use, as in "http:https". */
  readonly protocols: string;
  /** The path of a repository on this machine. */
  readonly path?: SafePath;
}

/** Local paths must be inside the allowed directories; addresses of remote helpers (`ext::…`) are refused. */
export function toAddress(guard: PathGuard, url: string, from: string, options: RepositoryOptions): Address {
  const [, scheme] = SCHEME.exec(url) ?? [];
  const isHelper = /^[\w+.-]*::/.test(url);
  const protocols = PROTOCOLS[scheme?.toLowerCase() ?? ""];
  if (isHelper || url.startsWith("-") || (scheme !== undefined && protocols === undefined)) {
    throw new Fault("permission_denied", `This kind of address is not allowed: ${redactUrls(url)}`, {
      hint: "https, ssh and git addresses are, and repositories inside the directories of this server.",
    });
  }
  if (protocols !== undefined && protocols !== "file") return { protocols };
  const isScp = SCP.test(url) && !url.slice(0, url.indexOf(":")).includes("/") && !DRIVE.test(url);
  if (scheme === undefined && isScp) return { protocols: "ssh" };
  const named = scheme === undefined ? url : url.slice("file://".length);
  const path = DRIVE.test(named.slice(1)) ? named.replace(/^\//, "") : named;
  const place = guard.locateExact(resolve(from, path));
  const parent = dirname(place) as SafePath;
  const found =
    openAt(guard, place, options) ??
    (basename(place) === ".git" ? openAt(guard, parent, options) : undefined);
  if (!found) throw new Fault("not_found", `${quotePath(path)} is not a git repository`);
  const isPartial = found.settings.some(({ section, key }) => PARTIAL.test(`${section}.${key}`));
  if (isPartial && !options.trusted) {
    throw new Fault("permission_denied", `${quotePath(path)} is a partial clone`, {
      hint: "Git would fetch its missing objects with a program that its configuration can name. Use the address that it was cloned from.",
    });
  }
  // Git percent-decodes the path after file://, which is always absolute.
  if (!isPlainTo(place, path, from) || (scheme !== undefined && !/^\/[^%]*$/.test(named))) {
    throw new Fault("permission_denied", `Git could resolve ${quotePath(path)} to a different repository`, {
      hint: "Give the absolute path of the repository without symlinks, including .git if its name ends with that.",
    });
  }
  return { protocols: "file", path: place };
}

/** Whether git resolves the path to `place`, too: git expands "~", resolves ".." after following links, and may append ".git". */
function isPlainTo(place: string, path: string, from: string): boolean {
  const whole = (isAbsolute(path) ? path : `${from}/${path}`).replaceAll(sep, "/").replace(/\/+$/, "");
  const others = [`${whole}.git`, `${place}.git`];
  return (
    !path.startsWith("~") &&
    findReal(from, path) === place &&
    !others.some((other) => lstatSync(other, { throwIfNoEntry: false }))
  );
}
