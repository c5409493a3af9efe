import { contentOf, type Fields, type Message } from "@suite/check/wires";

const FENCE = /^<untrusted-[a-z2-7]{8}(?: source="[^"\n]*")?>$/m;
const DRY_RUN = "Dry run: nothing was changed.";
const DEFAULT_LIMIT = 40_000;
/** What somebody else wrote. */
const FENCED = /^<(untrusted-[a-z2-7]{8})[^\n]*>\n[\s\S]*?^<\/\1>$/gm;
const WRONG_COUNT =
  /(?<![\d.,-])1 (?:more |other )?(?:bytes|changes|characters|columns|commits|directories|entries|files|hunks|items|lines|links|matches|notes|pages|redirects|replacements|rows|seconds|statements|tables|times)\b/;
const ISO_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/;
/** What a result says happened. */
const CLAIMS = ["created", "deleted", "moved", "replaced"];

interface Structured extends Fields {
  readonly note?: string;
}

interface Views {
  readonly text: string;
  readonly structured: Structured;
  readonly limit: number;
  /** A tool that only lists something has nothing to try out. */
  readonly isDryRun: boolean;
}

type Complaint = (views: Views) => string | false;

/** What each of the two readers of a result must find in their view. */
const RULES: readonly Complaint[] = [
  ({ text, limit }) => text.length > limit && `its text has ${text.length} characters`,
  ({ structured, limit }) => {
    const { length } = JSON.stringify(structured);
    return length > limit && `its structured result has ${length} characters`;
  },
  ({ text, structured }) =>
    FENCE.test(text) !== Array.isArray(structured["untrusted"]) &&
    `its text ${FENCE.test(text) ? "fences" : "does not fence"} text from outside, its fields say otherwise`,
  ({ text }) => {
    const [wrong] = WRONG_COUNT.exec(text.replaceAll(FENCED, "")) ?? [];
    return wrong !== undefined && `its text says "${wrong}"`;
  },
  ({ structured }) =>
    structured.note !== undefined && Object.keys(structured)[0] !== "note" && "its note is not first",
  ({ text, structured }) =>
    structured.note !== undefined && !text.endsWith(structured.note) && "its text does not end with the note",
  ({ structured }) =>
    (structured["truncated"] === true || structured["next_cursor"] !== undefined) &&
    structured.note === undefined &&
    "it was truncated, and its note does not say how to continue",
  ({ text, structured }) =>
    "cache" in structured &&
    !(ISO_TIME.test(String(structured["fetched_at"])) && text.includes(String(structured["fetched_at"]))) &&
    "it does not say when its page was fetched",
  ({ structured, isDryRun }) =>
    isDryRun &&
    structured.note?.startsWith(DRY_RUN) !== true &&
    "its note does not say that it was a dry run",
  ({ structured, isDryRun }) => isDryRun && structured["dry_run"] !== true && "it does not say dry_run: true",
  ({ structured, isDryRun }) => isDryRun && "changed" in structured && "it says `changed` of a dry run",
  ({ structured, isDryRun }) =>
    isDryRun && CLAIMS.some((claim) => structured[claim] === true) && "it claims what a dry run did not do",
  ({ structured, isDryRun }) =>
    !isDryRun &&
    "would_change" in structured &&
    structured["dry_run"] !== true &&
    "it says `would_change` of what it changed",
];

/** Links and images are no part of it. */
const textBlocksOf = (response: Message): string =>
  contentOf(response)
    .filter(({ type }) => type === "text")
    .map(({ text = "" }) => text)
    .join("\n");

/** What is wrong with the two views of a tool's result; nothing where a revision has but one, or where the call failed. */
export function complaintsAboutViews(response: Message, args: Fields): readonly string[] {
  const structured = response.result?.["structuredContent"] as Structured | undefined;
  if (structured === undefined || response.result?.["isError"] === true) return [];
  const asked = args["max_bytes"];
  const limit = typeof asked === "number" ? asked : DEFAULT_LIMIT;
  const { changed } = structured;
  const hasChange = "would_change" in structured || (Array.isArray(changed) && changed.length > 0);
  const isDryRun = args["dry_run"] === true && hasChange;
  const views = { text: textBlocksOf(response), structured, limit, isDryRun };
  return RULES.map((rule) => rule(views)).filter((complaint) => complaint !== false);
}
