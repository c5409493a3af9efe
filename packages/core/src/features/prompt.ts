import type { Icon, MetaObject } from "../model/content.ts";
import type { GetPromptResult, Prompt, PromptMessage } from "../model/entities.ts";
import { pick } from "../values/pick.ts";
import type { Completer } from "./completer.ts";
import type { MaybePromise } from "../values/maybe-promise.ts";
import { checkFunction, checkKeys, nameOf, type KeysOf } from "./check-definition.ts";
import type { Context } from "./context.ts";

export interface PromptArgumentConfig<State, Required = unknown> {
  readonly title?: string;
  readonly description?: string;
  readonly required?: Required & boolean;
  readonly complete?: Completer<State>;
}

type ArgumentConfigs<State> = { readonly [name: string]: PromptArgumentConfig<State> };

/** Required arguments (`R[name]` is true) are there; the others may be missing. */
export type PromptArguments<R> = {
  readonly [N in keyof R]: R[N] extends true ? string : string | undefined;
};

/** One string is one message from the user. */
export type PromptBody = string | readonly PromptMessage[] | GetPromptResult;

interface PromptFacts {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly icons?: readonly Icon[];
  readonly meta?: MetaObject;
}

/** What `definePrompt` takes. */
export interface PromptConfig<R, State> extends PromptFacts {
  // Mapped over R, so that R is inferred although completers are functions that take their types from here; the
  // second half is where State is inferred from a completer that names it.
  readonly arguments?: {
    readonly [N in keyof R]: PromptArgumentConfig<State, R[N]>;
  } & ArgumentConfigs<State>;
  readonly render: (args: PromptArguments<R>, context: Context<State>) => MaybePromise<PromptBody>;
}

/** A prompt as a server takes it: what `definePrompt` returns. */
export interface PromptDefinition<in State = unknown> extends PromptFacts {
  readonly arguments?: ArgumentConfigs<State>;
  readonly render: (args: never, context: Context<State>) => MaybePromise<PromptBody>;
}

/** Declares a prompt. The arguments of `render` are inferred from `arguments`; all values are strings. */
export const definePrompt = <const R = object, State = unknown>(
  config: PromptConfig<R, State>,
): PromptDefinition<State> => config;

const KEYS: KeysOf<PromptDefinition> = {
  name: "required",
  title: "optional",
  description: "optional",
  icons: "optional",
  meta: "optional",
  arguments: "optional",
  render: "required",
};

const ARGUMENT_KEYS: KeysOf<PromptArgumentConfig<never>> = {
  title: "optional",
  description: "optional",
  required: "optional",
  complete: "optional",
};

function checkPrompt(definition: PromptDefinition<never>): void {
  const what = nameOf("prompt", definition.name);
  checkKeys(what, definition, KEYS);
  checkFunction(what, "render", definition.render);
  for (const [name, argument] of Object.entries(definition.arguments ?? {})) {
    checkKeys(`${what}, argument ${name}`, argument, ARGUMENT_KEYS);
  }
}

export class PromptEntry {
  readonly definition: PromptDefinition<never>;
  readonly listed: Prompt;

  constructor(definition: PromptDefinition<never>) {
    checkPrompt(definition);
    this.definition = definition;
    const args = Object.entries(definition.arguments ?? {}).map(([name, config]) => ({
      name,
      ...pick(config, ["title", "description", "required"]),
    }));
    this.listed = {
      ...pick(definition, ["name", "title", "description"]),
      ...(args.length > 0 && { arguments: args }),
      ...(definition.icons && { icons: definition.icons }),
      ...(definition.meta && { _meta: definition.meta }),
    };
  }
}
