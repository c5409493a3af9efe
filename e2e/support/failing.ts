import { type Fields, type Message, textOf } from "@suite/check/wires";
import { expect } from "vitest";

import { errorOf } from "./calls.ts";
import type { FieldsIn } from "./tool-rows.ts";

/** How a call fails. */
export interface Failing {
  readonly about: string;
  readonly code: string;
  readonly text: RegExp;
  readonly details?: Fields;
}

/** A call that fails, and how it says so. The scene is what it works on. */
export interface FailingRow<Scene> extends Failing {
  readonly tool: string;
  readonly args: FieldsIn<Scene>;
}

/** That it says so to programs and to models, and says nothing of the code that it ran in. */
export function checkFailing(response: Message, failing: Failing): void {
  const about = `${failing.about}: ${JSON.stringify(response)}`;
  expect.soft(response.result?.["isError"], about).toBe(true);
  expect.soft(response.result?.["structuredContent"], about).toBeUndefined();
  const { code, retryable, hint, details } = errorOf(response);
  expect.soft({ code, retryable }, about).toEqual({ code: failing.code, retryable: false });
  expect.soft(textOf(response), failing.about).toMatch(failing.text);
  // Many clients hide `_meta` from the model: what to do next is in the text as well.
  expect.soft(textOf(response), failing.about).toContain(hint ?? "");
  expect.soft(failing.details && details, failing.about).toEqual(failing.details);
  expect.soft(JSON.stringify(response), failing.about).not.toMatch(/hunter2|node:|\.js:\d/);
}
