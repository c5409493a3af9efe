import { Fault, type PathGuard } from "@suite/server-kit/domain";
import * as v from "valibot";

import type { Progress } from "../domain/protocol.ts";
import { FORMATS } from "../domain/transfer/format.ts";
import type { SqliteContext } from "../state.ts";

export const FileFormat: v.OptionalSchema<v.GenericSchema<(typeof FORMATS)[number]>, undefined> = v.optional(
  v.pipe(v.picklist(FORMATS), v.description("Default: by the name")),
);

/** The directories for files, or how to get one. */
export function requireExchange({ state }: SqliteContext): PathGuard {
  if (state.exchange) return state.exchange;
  throw new Fault("unsupported", "This server has no directory for files.", {
    hint: "The operator can name one with --exchange DIR.",
  });
}

export const toProgress =
  ({ progress }: SqliteContext) =>
  ({ done, total, message }: Progress): void =>
    progress(done, total, message);
