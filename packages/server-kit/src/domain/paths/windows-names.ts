/** Names that open a device in every folder, even with an extension. Superscript digits count as digits there. */
const DEVICE = /^(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[0-9\u00B9\u00B2\u00B3])$/i;
/** 8.3 names: a second spelling of a long name, which rules about the long name would miss. */
const SHORT_NAME = /^(?=[^.]{3,8}(?:\.|$))[^.]{1,6}~\d{1,6}(?:\.[^.]{0,3})?$/;
// oxlint-disable-next-line no-control-regex -- they are what is looked for
const FORBIDDEN = /[\u0000-\u001F<>"|?*]/;

/** A server and a share. Device paths look alike. */
const SHARE = /^[\\/]{2}(?![.?][\\/])[^\\/]+[\\/][^\\/]+/;

/** Why Windows would not interpret this path literally, or undefined if it would. */
export function findWindowsProblem(path: string): string | undefined {
  const isShare = SHARE.test(path);
  if (!isShare && /^[\\/]{2}/.test(path))
    return "device paths (\\\\?\\, \\\\.\\) and servers without a share are not accepted";
  if (!isShare && /^[\\/]/.test(path)) return "it has no drive letter";
  if (/^[a-z]:(?![\\/])/i.test(path)) return "a drive letter must be followed by a backslash";
  for (const name of path.replace(/^[a-z]:/i, "").split(/[\\/]/)) {
    const problem = findNameProblem(name);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function findNameProblem(name: string): string | undefined {
  if (name === "" || name === "." || name === "..") return undefined;
  if (FORBIDDEN.test(name)) return 'a name holds one of < > " | ? * or a control character';
  if (name.includes(":")) return "a colon in a name opens an alternate data stream";
  if (/[. ]$/.test(name)) return "Windows drops a dot or a space at the end of a name";
  const stem = name.split(".", 1)[0] ?? "";
  if (DEVICE.test(stem.trimEnd())) return "a name is reserved for a device";
  return SHORT_NAME.test(name) ? "a name is a short 8.3 form: use the long name" : undefined;
}
