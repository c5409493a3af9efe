import {
  callTool,
  CAPABLE,
  converse,
  converseWithTool,
  type Fields,
  LISTS,
  questionsOf,
  type ServerQuestion,
  textOf,
} from "@suite/check/wires";
import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ListRootsRequestSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { expect } from "vitest";

import { verify } from "./verify.ts";

const ANSWERS = {
  "elicitation/create": (): Fields => ({
    action: "accept",
    content: { word: "w" },
  }),
  "sampling/createMessage": (): Fields => ({
    role: "assistant",
    model: "m",
    content: { type: "text", text: "t" },
  }),
  "roots/list": (): Fields => ({ roots: [{ uri: "file:///a" }] }),
};

/** Requests that ask, of all three methods; none of these answers makes the form of `ask_form` complete. */
const ASKING: readonly (readonly [method: string, params: Fields])[] = [
  ["tools/call", { name: "ask_form" }],
  ["tools/call", { name: "ask_choices" }],
  ["tools/call", { name: "ask_url" }],
  ["tools/call", { name: "ask_side_by_side" }],
  ["tools/call", { name: "ask_twice" }],
  ["tools/call", { name: "sample_text", arguments: { prompt: "x" } }],
  ["tools/call", { name: "sample_blocks" }],
  ["tools/call", { name: "sample_with_tools" }],
  ["tools/call", { name: "list_roots" }],
  ["prompts/get", { name: "asking" }],
  ["resources/read", { uri: "demo:///asking" }],
];

verify("input/only-on-three-methods", "asks in answer to three methods and no other", async ({ open }) => {
  const wire = await open({ capabilities: CAPABLE });
  const ref = { type: "ref/prompt", name: "completing" };
  const argument = { name: "asking", value: "" };
  expect((await wire.request("completion/complete", { ref, argument })).error?.code).toBe(-32603);
  for (const method of ["server/discover", ...Object.keys(LISTS)]) {
    expect((await wire.request(method)).result, method).toHaveProperty("resultType", "complete");
  }
  for (const [method, params] of ASKING) {
    const { result } = await wire.request(method, params);
    expect(result, JSON.stringify(params)).toHaveProperty("resultType", "input_required");
  }
});

const withId = (question: ServerQuestion): ServerQuestion => ({
  ...question,
  params: { elicitationId: "x", ...question.params },
});

const SCHEMAS = {
  "elicitation/create": ElicitRequestSchema,
  "sampling/createMessage": CreateMessageRequestSchema,
  "roots/list": ListRootsRequestSchema,
};

verify(
  ["input/requests-or-state", "input/known-request-kinds"],
  "asks in the three known ways, with questions and state",
  async ({ open }) => {
    const wire = await open({ capabilities: CAPABLE });
    const asked: ServerQuestion[] = [];
    for (const [method, params] of ASKING) {
      const conversation = await converse(wire, method, params, ANSWERS);
      expect(conversation.interim, JSON.stringify(params)).not.toHaveLength(0);
      for (const { inputRequests, requestState } of conversation.interim) {
        expect(inputRequests ?? requestState).toBeDefined();
      }
      asked.push(...conversation.asked);
    }
    expect(new Set(asked.map(({ method }) => method))).toEqual(new Set(Object.keys(SCHEMAS)));
    for (const { key: _key, ...question } of asked) {
      // The SDK's schema is of 2025-11-25, where a URL came with an id.
      const known = question.params["mode"] === "url" ? withId(question) : question;
      const { success } = SCHEMAS[question.method as keyof typeof SCHEMAS].safeParse(known);
      expect(success, JSON.stringify(question)).toBe(true);
    }
  },
);

verify(
  "input/keys-unique",
  "gives every question of a request a key of its own, over all rounds",
  async ({ open }) => {
    const wire = await open({ capabilities: CAPABLE });
    const { asked, interim, response } = await converseWithTool(wire, "ask_twice", ANSWERS);
    expect(interim).toHaveLength(2);
    expect(new Set(asked.map(({ key }) => key)).size).toBe(2);
    expect(textOf(response)).toBe("w w");
    const together = await converseWithTool(wire, "ask_side_by_side", ANSWERS);
    expect(together.interim).toHaveLength(1);
    expect(keysOf(together.interim[0])).toEqual(["model", "roots", "word"]);
    expect(textOf(together.response)).toBe('accept {"word":"w"}, m, 1 roots');
  },
);

verify(
  "input/declared-kinds-only",
  "asks for nothing that the request's capabilities leave out",
  async ({ open }) => {
    const declared: readonly Fields[] = [
      {},
      { roots: {} },
      { sampling: {} },
      { elicitation: {} },
      { elicitation: { url: {} } },
      { sampling: {}, elicitation: { form: {} } },
    ];
    const wire = await open();
    const all = new Set<string>();
    for (const capabilities of declared) {
      const meta = { "io.modelcontextprotocol/clientCapabilities": capabilities };
      for (const [method, params] of ASKING) {
        const { result, error } = await wire.request(method, params, { meta });
        const kinds = questionsOf(result).map(kindOf);
        for (const kind of kinds)
          expect(isDeclared(capabilities, kind), `${kind} of ${JSON.stringify(params)}`).toBe(true);
        if (kinds.length === 0) expect(error?.code).toBe(-32021);
        for (const kind of kinds) all.add(kind);
      }
    }
    expect([...all].toSorted()).toEqual(["form", "roots", "sampling", "url"]);
    expect(textOf(await callTool(wire, "ask_capable"))).toBe("nothing to ask");
  },
);

const kindOf = ({ method, params }: ServerQuestion): string => {
  if (method === "roots/list") return "roots";
  if (method === "elicitation/create") return params["mode"] === "url" ? "url" : "form";
  return params["tools"] === undefined ? "sampling" : "sampling with tools";
};

function isDeclared(capabilities: Fields, kind: string): boolean {
  const { roots, sampling, elicitation } = capabilities as Record<string, Fields | undefined>;
  if (kind === "roots") return roots !== undefined;
  if (kind === "sampling") return sampling !== undefined;
  if (kind === "sampling with tools") return sampling?.["tools"] !== undefined;
  if (kind === "url") return elicitation?.["url"] !== undefined;
  return elicitation !== undefined && (elicitation["form"] !== undefined || elicitation["url"] === undefined);
}

verify(
  "input/abandoned-request-harmless",
  "keeps nothing of requests that nobody continues",
  async ({ open }) => {
    const wire = await open({ capabilities: CAPABLE });
    for (let count = 0; count < 50; count += 1) {
      const { result } = await callTool(wire, "ask_twice");
      expect(result).toHaveProperty("resultType", "input_required");
    }
    expect(textOf(await callTool(wire, "no_arguments"))).toBe("done");
    expect(await wire.end()).toMatchObject({ code: 0, signal: null });
  },
);

verify("input/responses-validated", "refuses answers that are no object", async ({ open }) => {
  const wire = await open({ capabilities: CAPABLE });
  const { result } = await callTool(wire, "ask_form");
  for (const inputResponses of ["x", 5, true, null, [], [{ action: "accept" }]]) {
    const again = { inputResponses, requestState: result?.["requestState"] };
    const { error } = await wire.request("tools/call", { name: "ask_form", arguments: {}, ...again });
    expect(error, JSON.stringify(inputResponses)).toEqual({
      code: -32602,
      message: "inputResponses must be an object",
    });
  }
});

verify("input/unexpected-responses-ignored", "ignores answers that nobody asked for", async ({ open }) => {
  const wire = await open({ capabilities: CAPABLE });
  const { result } = await callTool(wire, "ask_side_by_side");
  const wanted = Object.fromEntries(
    questionsOf(result).map(({ key, method }) => [key, ANSWERS[method as keyof typeof ANSWERS]()]),
  );
  const inputResponses = { ...wanted, unheard: { action: "explode" }, "": null, constructor: 5 };
  const params = {
    name: "ask_side_by_side",
    arguments: {},
    inputResponses,
    requestState: result?.["requestState"],
  };
  expect(textOf(await wire.request("tools/call", params))).toBe('accept {"word":"w"}, m, 1 roots');
});

const keysOf = (result: Fields | undefined): readonly string[] =>
  questionsOf(result)
    .map(({ key }) => key)
    .toSorted();

verify(
  "input/missing-responses-asked-again",
  "asks again for what was not answered, or not properly",
  async ({ open }) => {
    const wire = await open({ capabilities: CAPABLE });
    const first = await callTool(wire, "ask_side_by_side");
    const again = (inputResponses: Fields, requestState: unknown): Promise<{ readonly result?: Fields }> =>
      wire.request("tools/call", { name: "ask_side_by_side", arguments: {}, inputResponses, requestState });
    const partly = await again({ roots: ANSWERS["roots/list"]() }, first.result?.["requestState"]);
    expect(keysOf(partly.result)).toEqual(["model", "word"]);
    const wrongly = await again({ word: { action: "nod" }, model: 5 }, partly.result?.["requestState"]);
    expect(keysOf(wrongly.result)).toEqual(["model", "word"]);
    const rest = { word: ANSWERS["elicitation/create"](), model: ANSWERS["sampling/createMessage"]() };
    const { result } = await again(rest, wrongly.result?.["requestState"]);
    expect(result).toMatchObject({
      resultType: "complete",
      content: [{ text: 'accept {"word":"w"}, m, 1 roots' }],
    });
  },
);
