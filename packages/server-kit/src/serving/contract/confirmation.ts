import { Interruption, type Context } from "@suite/core";

import { Fault } from "../../domain/errors/fault.ts";
import { reveal } from "../../domain/text/reveal.ts";
import { truncate } from "../../domain/text/glimpse.ts";
import type { ToolDefinition } from "./tool.ts";

const LONGEST_QUESTION = 1000;

const FORM = {
  type: "object",
  properties: { confirm: { type: "boolean", title: "Yes, do it", default: false } },
  required: ["confirm"],
} as const;

/** Asks a person, and throws unless the answer is yes. */
export async function confirm(tool: ToolDefinition<never>, input: never, context: Context): Promise<void> {
  const ask = consentIn(context, "dev.suite/confirm");
  if (!ask) {
    throw new Fault(
      "permission_denied",
      `${tool.name} needs a person's consent, and this client cannot ask for it.`,
      {
        hint: "Try dry_run, use a client that supports elicitation, or let the operator start the server without --confirm.",
      },
    );
  }
  if (await isAgreed(tool, input, context, ask)) return;
  throw new Fault(
    "cancelled",
    `A person was asked, and did not agree to ${tool.name}. Nothing was changed.`,
    { retryable: false, hint: "Ask what they would rather have." },
  );
}

interface Asking<Input> {
  readonly title: string;
  readonly confirm?: ((input: Input) => string) | undefined;
}

type Ask = (message: string) => Promise<boolean>;

/** A function that asks a person to agree; undefined if the client cannot ask. `key` names the question within the call. */
export function consentIn(
  { client, elicit }: Pick<Context, "client" | "elicit">,
  key: string,
): Ask | undefined {
  const { elicitation } = client.capabilities;
  // An empty object means that only forms are supported (elicitation#capabilities).
  if (elicitation === undefined || (elicitation.form === undefined && elicitation.url !== undefined))
    return undefined;
  return async (message) => {
    const answer = await elicit({ message, schema: FORM }, { key });
    return answer.action === "accept" && answer.content.confirm;
  };
}

async function isAgreed(
  tool: ToolDefinition<never>,
  input: never,
  context: Context,
  ask: Ask,
): Promise<boolean> {
  try {
    return await ask(questionAbout(tool, input));
  } catch (thrown) {
    if (thrown instanceof Interruption || context.signal.aborted) throw thrown;
    throw new Fault("unavailable", `A person could not be asked about ${tool.name}. Nothing was changed.`, {
      cause: thrown,
    });
  }
}

/** Shows a person the call that would be made. If it was cut, it says so: they should know that there is more. */
export function questionAbout<Input>(tool: Asking<Input>, input: Input): string {
  const shown = reveal(tool.confirm?.(input) ?? `${tool.title}? ${JSON.stringify(input)}`);
  const glimpse = truncate(shown, LONGEST_QUESTION);
  return glimpse === shown ? shown : `${glimpse} (cut: there is more of it)`;
}
