import { capabilitiesOf, type Fields, type Message } from "@suite/check/wires";
import { expect } from "vitest";

import { BARE } from "../support/servers.ts";
import type { Wire } from "../support/wire.ts";
import { freshJournal } from "./fresh-journal.ts";
import { verify } from "./verify.ts";

const PROMPT = { type: "ref/prompt", name: "completing" };
const CITY = { type: "ref/resource", uri: "demo:///cities/{country}/{city}" };

const complete = (wire: Wire, ref: unknown, argument: unknown, more: Fields = {}): Promise<Message> =>
  wire.request("completion/complete", { ref, argument, ...more });

interface Completion {
  readonly values: readonly string[];
  readonly total?: number;
  readonly hasMore?: boolean;
}

async function completionOf(wire: Wire, ref: unknown, name: string, value: string): Promise<Completion> {
  const { result } = await complete(wire, ref, { name, value });
  return result?.["completion"] as Completion;
}

verify("completion/capability-declared", "declares completions when it completes", async ({ shared }) => {
  const wire = await shared();
  expect((await completionOf(wire, PROMPT, "language", "fr")).values).toEqual(["french"]);
  expect((await completionOf(wire, CITY, "city", "b")).values).toEqual(["Basel", "Bern", "Boston"]);
  expect(await capabilitiesOf(wire)).toHaveProperty("completions", {});
});

verify("completion/not-supported", "has no completion method without the capability", async ({ open }) => {
  const wire = await open({ server: BARE });
  expect(await capabilitiesOf(wire)).not.toHaveProperty("completions");
  const { error } = await complete(wire, PROMPT, { name: "language", value: "" });
  expect(error?.code).toBe(-32601);
});

verify("completion/unknown-reference", "refuses a reference to nothing", async ({ shared }) => {
  const wire = await shared();
  const refs = [
    { type: "ref/prompt", name: "nobody" },
    { type: "ref/prompt", name: "toString" },
    { type: "ref/resource", uri: "demo:///nowhere/{x}" },
    { type: "ref/resource", uri: "demo:///cities/ch/{city}" },
  ];
  for (const ref of refs) {
    const { error } = await complete(wire, ref, { name: "city", value: "" });
    expect(error?.code, JSON.stringify(ref)).toBe(-32602);
  }
  for (const ref of [PROMPT, CITY])
    for (const name of ["nothing", "constructor"])
      expect((await complete(wire, ref, { name, value: "" })).error?.code, name).toBe(-32602);
});

verify("completion/missing-parts", "refuses a request without reference or argument", async ({ shared }) => {
  const wire = await shared();
  const argument = { name: "language", value: "f" };
  for (const params of [{}, { ref: PROMPT }, { argument }, { ref: PROMPT, argument: { name: "language" } }]) {
    expect((await wire.request("completion/complete", params)).error?.code).toBe(-32602);
  }
  expect((await wire.request("completion/complete", { ref: PROMPT, argument })).result).toBeDefined();
});

verify("completion/internal-error", "hides what a broken completer threw", async ({ shared }) => {
  const wire = await shared();
  const journal = await freshJournal(wire);
  const { error } = await complete(wire, PROMPT, { name: "broken", value: "" });
  expect(error?.code).toBe(-32603);
  expect(JSON.stringify(error)).not.toContain("secret");
  expect((await journal()).reported).toEqual(["The index at /secret/place is gone"]);
});

verify("completion/inputs-validated", "keeps wrong input from the completer", async ({ shared }) => {
  const wire = await shared();
  const journal = await freshJournal(wire);
  const argument = { name: "recorded", value: "" };
  const wrong: Fields[] = [
    { ref: "completing", argument },
    { ref: null, argument },
    { ref: { type: "ref/prompt" }, argument },
    { ref: { type: "ref/prompt", name: ["completing"] }, argument },
    { ref: { type: "prompt", name: "completing" }, argument },
    { ref: PROMPT, argument: { name: ["recorded"], value: "" } },
    { ref: PROMPT, argument: { name: "recorded", value: 5 } },
    { ref: PROMPT, argument: { name: "recorded", value: null } },
    { ref: PROMPT, argument: "recorded" },
    { ref: PROMPT, argument, context: "x" },
    { ref: PROMPT, argument, context: { arguments: ["x"] } },
    { ref: PROMPT, argument, context: { arguments: { language: 1 } } },
  ];
  for (const params of wrong) {
    const { error } = await wire.request("completion/complete", params);
    expect(error?.code, JSON.stringify(params)).toBe(-32602);
  }
  expect((await journal()).ran).toEqual([]);
  expect((await complete(wire, PROMPT, argument)).result).toBeDefined();
  expect((await journal()).ran).toEqual(["completer"]);
});

verify(
  "completion/at-most-100-values",
  "sends a hundred values and says that there are more",
  async ({ shared }) => {
    const wire = await shared();
    const many = await completionOf(wire, PROMPT, "many", "value");
    expect(many.values).toHaveLength(100);
    expect(many).toMatchObject({ total: 250, hasMore: true });
    const finished = await completionOf(wire, PROMPT, "finished", "zzz");
    expect(finished.values).toHaveLength(100);
    expect(finished).toMatchObject({ total: 1000, hasMore: true });
    const exactly = await completionOf(wire, PROMPT, "many", "value-249");
    expect(exactly).toEqual({ values: ["value-249"], total: 1, hasMore: false });
    expect(await completionOf(wire, PROMPT, "free", "x")).toMatchObject({ values: [], hasMore: false });
  },
);

verify("completion/sorted-by-relevance", "puts the best match first", async ({ shared }) => {
  const wire = await shared();
  const { values } = await completionOf(wire, PROMPT, "ranked", "bell");
  expect(values).toEqual(["bell", "bells", "Bellow", "bluebell", "bagel-well"]);
  const { result } = await complete(
    wire,
    PROMPT,
    { name: "word", value: "" },
    { context: { arguments: { language: "french" } } },
  );
  expect(result?.["completion"]).toMatchObject({ values: ["bonjour"] });
});
