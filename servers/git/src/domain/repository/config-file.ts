import { Fault } from "@suite/server-kit/domain";

/** One setting of a git configuration file. Section and key in lower case; the subsection is as it was written. */
export interface Setting {
  readonly section: string;
  readonly subsection: string | undefined;
  readonly key: string;
  /** Without a value, as in `bare` alone, it is "true". */
  readonly value: string;
}

/** As git writes it, and as `-c` takes it. */
export const toName = ({ section, subsection, key }: Setting): string =>
  subsection === undefined ? `${section}.${key}` : `${section}.${subsection}.${key}`;

const HEADER = /^\[([A-Za-z0-9.-]+)(?:[ \t]+"((?:[^"\\\n]|\\[^\n])*)")?\]/;
const KEY = /^([A-Za-z][A-Za-z0-9-]*)[ \t]*/;
const SPACE = /^[ \t\r\n]+/;
const COMMENT = /^[#;][^\n]*/;
const ESCAPES: { readonly [letter: string]: string } = { n: "\n", t: "\t", b: "\b", '"': '"', "\\": "\\" };
/** Enough for thousands of branches. */
const MOST_SETTINGS = 20_000;

/**
 * Reads a configuration file as git does, to know what git will find there before it runs. Refuses what cannot be read
 * with certainty: a wrong guess could let git execute a program.
 */
export function parseConfig(text: string): readonly Setting[] {
  const settings: Setting[] = [];
  let header: Pick<Setting, "section" | "subsection"> | undefined;
  let rest = text.replace(/^\uFEFF/, "");
  const match = (pattern: RegExp): RegExpExecArray | null => {
    const found = pattern.exec(rest);
    if (found) rest = rest.slice(found[0].length);
    return found;
  };
  for (;;) {
    while (match(SPACE) ?? match(COMMENT));
    if (rest === "") return settings;
    const opened = match(HEADER);
    if (opened) {
      header = toHeader(opened[1] ?? "", opened[2]);
      continue;
    }
    const key = match(KEY)?.[1];
    const read = readValue(rest);
    if (!header || key === undefined || !read) throw refuse(text.length - rest.length, text);
    settings.push({ ...header, key: key.toLowerCase(), value: read[0] });
    rest = read[1];
    if (settings.length > MOST_SETTINGS)
      throw new Fault("too_large", `The repository's configuration has more than ${MOST_SETTINGS} settings`);
  }
}

/** What follows a dot in `[branch.main]`, the old way to write a subsection, is in lower case; a quoted part may follow it. */
function toHeader(name: string, quoted: string | undefined): Pick<Setting, "section" | "subsection"> {
  const [section = "", ...parts] = name.toLowerCase().split(".");
  if (quoted !== undefined) parts.push(quoted.replaceAll(/\\(.)/gs, "$1"));
  return { section, subsection: parts.length === 0 ? undefined : parts.join(".") };
}

/** The value up to the end of its line, and what comes after. Quotes may open and close anywhere in it. */
function readValue(text: string): [value: string, rest: string] | undefined {
  if (/^(?:\r?\n|$)/.test(text)) return ["true", text];
  if (!text.startsWith("=")) return undefined;
  let value = "";
  let pending = "";
  let isQuoted = false;
  for (let at = 1; ; at += 1) {
    const character = text[at];
    if (character === undefined || character === "\n") {
      return isQuoted ? undefined : [value, text.slice(at)];
    }
    if (character === "\r" && text[at + 1] === "\n") continue;
    if (!isQuoted && (character === "#" || character === ";")) {
      const end = text.indexOf("\n", at);
      return [value, end < 0 ? "" : text.slice(end)];
    }
    if (!isQuoted && (character === " " || character === "\t" || character === "\r")) {
      // Kept inside a value, dropped around it.
      if (value !== "") pending += character;
      continue;
    }
    // Git before 2.45 turns each tab or CR into a space; later versions keep them.
    if (pending !== "" && /[\t\r]/.test(pending)) return undefined;
    value += pending;
    pending = "";
    if (character === '"') isQuoted = !isQuoted;
    else if (character === "\\") {
      at += 1;
      if (text[at] === "\r" && text[at + 1] === "\n") at += 1;
      if (text[at] === "\n") continue;
      const escaped = ESCAPES[text[at] ?? ""];
      if (escaped === undefined) return undefined;
      value += escaped;
    } else value += character;
  }
}

function refuse(at: number, text: string): Fault {
  const line = text.slice(0, at).split("\n").length;
  return new Fault(
    "unsupported",
    `The repository's configuration cannot be read: line ${line} is malformed`,
    { hint: "Correct the file with: git config --local --edit" },
  );
}
