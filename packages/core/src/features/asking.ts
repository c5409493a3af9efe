import { MISSING_REQUIRED_CLIENT_CAPABILITY, ProtocolError } from "../jsonrpc/error.ts";
import { isObject, type Params } from "../jsonrpc/message.ts";
import type { ElicitResult, Root } from "../model/asking.ts";
import type { ClientCapabilities } from "../model/capabilities.ts";
import { compileSchema } from "../schema/compile.ts";
import { describeIssues } from "../schema/json-schema/issue.ts";
import type { Schema } from "../schema/infer.ts";
import type { MaybePromise } from "../values/maybe-promise.ts";
import type { FormAnswer, FormQuestion, UrlAnswer, UrlQuestion } from "./context.ts";

/** Something only the client can answer, the same in both eras; the connection decides how to send it. */
export interface Question<T> {
  readonly method: "roots/list" | "sampling/createMessage" | "elicitation/create";
  readonly params: Params;
  /** What the client must have declared. */
  readonly requires: ClientCapabilities;
  readonly timeoutMs: number;
  /** Throws InvalidAnswer if the answer does not fit this question. */
  readonly readAnswer: (answer: unknown) => MaybePromise<T>;
}

/** The client answered a question with something that does not fit it. */
export class InvalidAnswer extends Error {
  override readonly name = "InvalidAnswer";
}

/**
 * Thrown through an author's handler when it must stop and be run again with the client's answers (mrtr). It is not a
 * failure: no layer in between may turn it into an error result.
 */
export class Interruption extends Error {
  override readonly name = "Interruption";

  constructor() {
    super("The handler stops here: the client is asked for input and repeats the request");
  }
}

/** Adds a name like this one: two questions get different names, even if their author gave them the same key. */
export function addUnused(name: string, used: Set<string>): string {
  let unused = name;
  for (let count = 2; used.has(unused); count += 1) unused = `${name}#${count}`;
  used.add(unused);
  return unused;
}

/** A person may take minutes; a program may not. */
const PERSON_MS = 10 * 60_000;
const PROGRAM_MS = 10_000;

export function checkCapabilities(question: Question<unknown>, declared: ClientCapabilities): void {
  if (covers(declared, question.requires)) return;
  const needed = Object.keys(question.requires).join(", ");
  throw new ProtocolError(
    MISSING_REQUIRED_CLIENT_CAPABILITY,
    `This needs a client that supports ${needed}, which this client has not declared`,
    { requiredCapabilities: question.requires },
  );
}

function covers(declared: ClientCapabilities, required: ClientCapabilities): boolean {
  if (required.roots && !declared.roots) return false;
  if (required.sampling && !declared.sampling) return false;
  if (required.sampling?.tools && !declared.sampling?.tools) return false;
  const { elicitation } = required;
  if (!elicitation) return true;
  if (!declared.elicitation) return false;
  if (elicitation.url) return declared.elicitation.url !== undefined;
  // An empty object stands for forms alone (elicitation#capabilities).
  return declared.elicitation.form !== undefined || declared.elicitation.url === undefined;
}

export const rootsQuestion: Question<readonly Root[]> = {
  method: "roots/list",
  params: {},
  requires: { roots: {} },
  timeoutMs: PROGRAM_MS,
  readAnswer(answer) {
    const roots = isObject(answer) ? answer["roots"] : undefined;
    if (Array.isArray(roots) && roots.every((root) => isObject(root) && typeof root["uri"] === "string")) {
      return roots as readonly Root[];
    }
    throw new InvalidAnswer("The client's roots are not a list of URIs");
  },
};

export const urlQuestion = ({ message, url }: UrlQuestion): Question<UrlAnswer> => ({
  method: "elicitation/create",
  params: { mode: "url", message, url },
  requires: { elicitation: { url: {} } },
  timeoutMs: PERSON_MS,
  readAnswer: (answer) => ({ action: readElicitResult(answer).action }),
});

export function formQuestion<S extends Schema>({
  message,
  schema,
}: FormQuestion<S>): Question<FormAnswer<never>> {
  const compiled = compileSchema(schema, { formatAssertion: true });
  return {
    method: "elicitation/create",
    params: { mode: "form", message, requestedSchema: compiled.inputJson() },
    requires: { elicitation: { form: {} } },
    timeoutMs: PERSON_MS,
    async readAnswer(answer) {
      const { action, content } = readElicitResult(answer);
      if (action !== "accept") return { action };
      const validated = await compiled.validate(content ?? {});
      if (validated.issues === undefined) return { action, content: validated.value as never };
      throw new InvalidAnswer(
        `The client answered the form with values that are not allowed:\n${describeIssues(validated.issues)}`,
      );
    },
  };
}

const ACTIONS: ReadonlySet<unknown> = new Set(["accept", "decline", "cancel"]);

const isElicitResult = (answer: unknown): answer is ElicitResult =>
  isObject(answer) && ACTIONS.has(answer["action"]);

function readElicitResult(answer: unknown): ElicitResult {
  if (isElicitResult(answer)) return answer;
  throw new InvalidAnswer("The action in the client's answer is not accept, decline or cancel");
}
