import { Reply, type ContentBlock } from "@suite/core";

import { Fault } from "../../domain/errors/fault.ts";
import { renderParts, Untrusted } from "../../domain/text/fence.ts";
import { isObject } from "../../domain/text/json-value.ts";
import { isSuspect, reveal, revealAll } from "../../domain/text/reveal.ts";
import { EACH, type FieldPath, parseFieldPath } from "./field-path.ts";
import { RemarkedOutput, type Remarks } from "./output-schema.ts";
import { isDryRun, type TextPart, type ToolDefinition } from "./tool.ts";
import type { GuidedContract, ToolGuide } from "./tool-guide.ts";

/** What views need besides the result. */
interface ViewContext {
  readonly input: never;
  /** Characters that each view may have. */
  readonly limit: number;
  readonly contract: Pick<GuidedContract, "results" | "report" | "guide">;
}

/** A result for its two readers: a text, and structured content. Each is complete by itself. */
export function toReply(tool: ToolDefinition<never>, result: unknown, context: ViewContext): Reply {
  // A ready Reply is passed on unchanged.
  if (result instanceof Reply) return result as Reply;
  const { input, contract } = context;
  const parts = [tool.text(result as never, input)].flat() as readonly TextPart[];
  const isTainted = tool.untrusted !== undefined;
  if (!isTainted && parts.some((part) => part instanceof Untrusted))
    throw new Error(`${tool.name} fences text from outside, and declares no field of it as untrusted`);
  // Hosts may show structured results to models, so invisible characters are revealed there, too.
  const output = isTainted && isAnySuspect(result) ? revealAll(result) : result;
  const remarks = toRemarks(tool, output, input, contract.guide);
  const content = toBlocks(remarks?.note === undefined ? parts : [...parts, remarks.note]);
  const structured = remarks === undefined ? output : new RemarkedOutput(output as object, remarks);
  checkSize(tool, content, structured, context);
  return new Reply({
    ...(contract.results !== "text" && { structured: structured as never }),
    content: contract.results === "structured" ? toHeadline(parts, content) : content,
  });
}

const isProposal = (input: unknown, output: unknown): boolean =>
  isDryRun(input) &&
  isObject(output) &&
  output["changed"] !== undefined &&
  // A tool that sets dry_run itself also words its result itself.
  output["dry_run"] === undefined;

function toRemarks(
  tool: ToolDefinition<never>,
  output: unknown,
  input: never,
  guide: ToolGuide,
): Remarks | undefined {
  const isDry = isProposal(input, output);
  const own = join([tool.note?.(output as never, input)].flat());
  const present = tool.untrusted?.filter((path) => hasContent(output, parseFieldPath(path))) ?? [];
  const untrusted = isDry ? present.map((path) => (path === "changed" ? "would_change" : path)) : present;
  const note = join([isDry && "Dry run: nothing was changed.", guide(reveal(own))]);
  if (note === "" && untrusted.length === 0) return undefined;
  return {
    ...(note !== "" && { note }),
    ...(untrusted.length > 0 && { untrusted }),
    ...(isDry && { dry_run: true }),
  };
}

const join = (sentences: readonly (string | false | undefined)[]): string =>
  sentences.filter((words) => words).join(" ");

function hasContent(value: unknown, [step, ...deeper]: FieldPath): boolean {
  if (step === EACH) return Array.isArray(value) && value.some((item) => hasContent(item, deeper));
  if (step !== undefined) return isObject(value) && hasContent(value[step], deeper);
  if (typeof value === "string") return value !== "";
  return typeof value === "object" && value !== null && Object.keys(value).length > 0;
}

function toBlocks(parts: readonly TextPart[]): readonly ContentBlock[] {
  const texts: (string | Untrusted)[] = [];
  const others: ContentBlock[] = [];
  for (const part of parts) {
    if (typeof part === "string" || part instanceof Untrusted) texts.push(part);
    else others.push(part);
  }
  const text = renderParts(texts);
  return text === "" ? others : [{ type: "text", text }, ...others];
}

const LONGEST_LINE = 200;

/** For hosts that show the structured content to the model: the text is only a headline for people. */
function toHeadline([first]: readonly TextPart[], content: readonly ContentBlock[]): readonly ContentBlock[] {
  const line = typeof first === "string" ? (first.split("\n", 1)[0] ?? "") : "";
  const text = line === "" ? "The result is in structuredContent." : line.slice(0, LONGEST_LINE);
  return [{ type: "text", text }, ...content.filter(({ type }) => type !== "text")];
}

/** No host accepts more. */
const LARGEST_RESULT = 8 * 1024 * 1024;

function checkSize(
  tool: ToolDefinition<never>,
  content: readonly ContentBlock[],
  structured: unknown,
  { limit, contract }: ViewContext,
): void {
  const text = content[0]?.type === "text" ? content[0].text.length : 0;
  const size = Math.max(text, sizeOf(structured, limit));
  if (size <= limit) return;
  const words = `The result of ${tool.name} has ${size} characters, more than ${limit}`;
  contract.report(new Error(words));
  // Changes must be reported, however long the report is.
  if (tool.effects !== "read" && size <= LARGEST_RESULT) return;
  throw new Fault("too_large", `${words}.`, {
    hint: "Ask for less at a time, or give a larger max_bytes where the tool takes it.",
  });
}

/** Size of its JSON. An upper bound from counting characters is cheaper, and nearly always enough. */
const sizeOf = (structured: unknown, most: number): number => {
  const value = structured instanceof RemarkedOutput ? structured.output : structured;
  const letters = countLetters(value);
  return letters * LONGEST_ESCAPE <= most ? letters : JSON.stringify(value).length;
};

/** A control character becomes \u001b. `countLetters` counts enough for numbers and punctuation. */
const LONGEST_ESCAPE = 6;
const LONGEST_NUMBER = 25;

function countLetters(value: unknown): number {
  if (typeof value === "string") return value.length + 1;
  if (typeof value !== "object" || value === null) return LONGEST_NUMBER / LONGEST_ESCAPE;
  let letters = 1;
  for (const key in value) {
    letters +=
      (Array.isArray(value) ? 1 : key.length + 1) + countLetters((value as Record<string, unknown>)[key]);
  }
  return letters;
}

function isAnySuspect(data: unknown): boolean {
  if (typeof data === "string") return isSuspect(data);
  if (typeof data !== "object" || data === null) return false;
  if (Array.isArray(data)) return data.some(isAnySuspect);
  for (const key in data) {
    if (isSuspect(key) || isAnySuspect((data as Record<string, unknown>)[key])) return true;
  }
  return false;
}
