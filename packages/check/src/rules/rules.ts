import { practice, type Rule } from "./rule.ts";
import { SPECIFICATION } from "./specification.ts";

export type { Level, Rule } from "./rule.ts";

/** What practice asks for. */
const PRACTICE: Readonly<Record<string, Rule>> = {
  "check/answered": practice(
    "error",
    "Every request is answered, and the server keeps running.",
    "Look at what the server says on standard error.",
  ),
  "check/finished": practice(
    "error",
    "The check comes to its end.",
    "Give it longer with --timeout, or less to do with --revision and --only.",
  ),
  "agents/description": practice(
    "warning",
    "Every tool is described for the model that chooses it.",
    "Say in a sentence or two what it does, when to use it and what it gives.",
  ),
  "agents/argument-descriptions": practice(
    "note",
    "Arguments whose names do not say it are described.",
    "Add a description to the properties of inputSchema.",
  ),
  "agents/list-size": practice(
    "note",
    "The list of tools costs every conversation less than 10,000 tokens, and each tool less than 2,000.",
    "Shorten descriptions, offer groups of tools, or put variants into one tool.",
  ),
  "agents/result-size": practice(
    "note",
    "A result is at most 100,000 characters.",
    "Cut it, say so, and let the model ask for the rest.",
  ),
  "agents/slow": practice(
    "note",
    "A tool answers within the patience of its client.",
    "Answer sooner with a part, report progress, or offer it as a task; --patience waits longer.",
  ),
  "agents/errors": practice(
    "note",
    "The error of a call without its arguments names one that is missing.",
    "Put what is wrong and what to do next into the text of the result.",
  ),
  "agents/internals": practice(
    "warning",
    "No error shows the code that it ran in.",
    "Log the stack to standard error, and tell the model what happened in a sentence.",
  ),
  "agents/annotations": practice(
    "warning",
    "What a tool says of itself does not contradict its name or itself.",
    "Set readOnlyHint and destructiveHint as the tool behaves: hosts ask people by them.",
  ),
  "agents/reads-only": practice(
    "error",
    "A tool that says it only reads changes nothing.",
    "Set readOnlyHint to false: hosts call such tools without asking.",
  ),
  "hostile/survived": practice(
    "error",
    "Whatever comes in, the next request is answered.",
    "Catch what parsing and checking throw, and answer with an error.",
  ),
  "speed/start": practice(
    "note",
    "The first answer comes within two seconds of the start.",
    "Load what the first answer does not need later.",
  ),
  "speed/list": practice(
    "note",
    "The list of tools comes within a tenth of a second.",
    "Make it once and keep it.",
  ),
};

export const RULES: Readonly<Record<string, Rule>> = { ...SPECIFICATION, ...PRACTICE };

const UNKNOWN: Rule = practice("error", "What is known of the server is true.", "Compare it with its tests.");

/** The rule with this id; whoever adds checks of their own need not add rules. */
export const ruleOf = (id: string): Rule => RULES[id] ?? UNKNOWN;

/** Where the specification says it. */
export const addressOf = ({ page }: Rule): string | undefined =>
  page && `https://modelcontextprotocol.io/specification/${page.replace("/index", "")}`;
