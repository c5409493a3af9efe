import { Reply, Serialized, type ContentBlock } from "@suite/core";

import { Fault } from "../../domain/errors/fault.ts";
import { renderParts, Untrusted } from "../../domain/text/fence.ts";
import { isObject } from "../../domain/text/json-value.ts";
import { isJsonSuspect, reveal, revealAll } from "../../domain/text/reveal.ts";
import type { CheckedOutput } from "./output-schema.ts";
import { isDryRun, type TextPart, type ToolDefinition } from "./tool.ts";
import type { GuidedContract } from "./tool-guide.ts";

/** What views need besides the result. */
interface ViewContext {
  readonly input: never;
  /** Characters that each view may have. */
  readonly limit: number;
  readonly contract: Pick<GuidedContract, "results" | "report" | "guide">;
}

/** Fields that the kit adds to a structured result. */
interface Remarks {
  readonly note?: string;
  readonly untrusted?: readonly string[];
  readonly dry_run?: true;
}

/** A result for its two readers: a text, and structured content. Each is complete by itself. */
export function toReply(
  tool: ToolDefinition<never>,
  result: unknown,
  checked: CheckedOutput,
  context: ViewContext,
): Reply {
  const { input, contract } = context;
  const parts = [tool.text(result as never, input)].flat() as readonly TextPart[];
  if (tool.untrusted === undefined && parts.some((part) => part instanceof Untrusted))
    throw new Error(`${tool.name} fences text from outside, and declares no field of it as untrusted`);
  const remarks = toRemarks(tool, result, checked, context);
  const content = toBlocks(remarks?.note === undefined ? parts : [...parts, remarks.note]);
  const structured = contract.results === "text" ? undefined : serialize(tool, checked.output, remarks);
  checkSize(tool, content, structured ? structured.json.length - lengthOf(remarks) : 0, context);
  return new Reply<never>({
    ...(structured && { structured }),
    content: contract.results === "structured" ? toHeadline(parts, content) : content,
  });
}

/** Remarks come first: a model reads from the top, and hosts cut at the bottom. */
function serialize(tool: ToolDefinition<never>, output: unknown, remarks: Remarks | undefined): Serialized {
  const own = remarks?.dry_run ? toProposal(output as object) : output;
  const value = remarks ? { ...remarks, ...(own as object) } : own;
  const json = JSON.stringify(value);
  // Hosts may show structured results to models, so invisible characters are revealed there, too.
  const isRevealed = tool.untrusted !== undefined && isJsonSuspect(json);
  return isRevealed ? new Serialized(revealAll(value)) : new Serialized(value, json);
}

/** In a dry run nothing was changed, so `changed` becomes `would_change`. */
const toProposal = (output: object): object =>
  Object.fromEntries(
    Object.entries(output).map(([name, item]) => [name === "changed" ? "would_change" : name, item]),
  );

const lengthOf = (remarks: Remarks | undefined): number => (remarks ? JSON.stringify(remarks).length : 0);

const isProposal = (input: unknown, output: unknown): boolean =>
  isDryRun(input) &&
  isObject(output) &&
  output["changed"] !== undefined &&
  // A tool that sets dry_run itself also words its result itself.
  output["dry_run"] === undefined;

function toRemarks(
  tool: ToolDefinition<never>,
  result: unknown,
  { output, untrusted: present }: CheckedOutput,
  { input, contract }: ViewContext,
): Remarks | undefined {
  const isDry = isProposal(input, output);
  // As for the text: a result may have fields for the note alone.
  const own = join([tool.note?.(result as never, input)].flat());
  const untrusted = isDry ? present.map((path) => (path === "changed" ? "would_change" : path)) : present;
  const note = join([isDry && "Dry run: nothing was changed.", contract.guide(reveal(own))]);
  if (note === "" && untrusted.length === 0) return undefined;
  return {
    ...(note !== "" && { note }),
    ...(untrusted.length > 0 && { untrusted }),
    ...(isDry && { dry_run: true }),
  };
}

const join = (sentences: readonly (string | false | undefined)[]): string =>
  sentences.filter((words) => words).join(" ");

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
  structured: number,
  { limit, contract }: ViewContext,
): void {
  const text = content[0]?.type === "text" ? content[0].text.length : 0;
  const size = Math.max(text, structured);
  if (size <= limit) return;
  const words = `The result of ${tool.name} has ${size} characters, more than ${limit}`;
  contract.report(new Error(words));
  // Changes must be reported, however long the report is.
  if (tool.effects !== "read" && size <= LARGEST_RESULT) return;
  throw new Fault("too_large", `${words}.`, {
    hint: "Ask for less at a time, or give a larger max_bytes where the tool takes it.",
  });
}
