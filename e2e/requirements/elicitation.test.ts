import {
  callTool,
  CAPABLE,
  converseWithTool,
  type Fields,
  isModern,
  isOf,
  isRequest,
  type ServerQuestion,
  textOf,
} from "@suite/check/wires";
import { expect } from "vitest";

import { CHOICES, EVERY_FIELD } from "../fixtures/everything/forms.ts";
import { journalOf } from "../support/calls.ts";
import { LIBRARIES } from "../support/servers.ts";
import type { Wire } from "../support/wire.ts";
import { verify } from "./verify.ts";

const CREATE = "elicitation/create";
const FORM = { name: "Ann", email: "ann@example.org" };

const accepting = (content: Fields = FORM) => ({ [CREATE]: (): Fields => ({ action: "accept", content }) });

/** The one question that a tool asks. */
async function questionOf(wire: Wire, tool: string): Promise<ServerQuestion> {
  const { asked } = await converseWithTool(wire, tool, { [CREATE]: () => ({ action: "decline" }) });
  expect(asked).toHaveLength(1);
  return asked[0] as ServerQuestion;
}

verify(
  "elicitation/declared-mode-only",
  "asks in no mode that the client did not declare",
  async ({ open, revision }) => {
    const cases: readonly (readonly [declared: Fields, form: boolean, url: boolean])[] = [
      [{}, false, false],
      [{ elicitation: {} }, true, false],
      [{ elicitation: { form: {} } }, true, false],
      [{ elicitation: { url: {} } }, false, true],
      [{ elicitation: { form: {}, url: {} } }, true, true],
    ];
    for (const [capabilities, form, url] of cases) {
      const wire = await open({ capabilities });
      for (const [tool, isAllowed] of [
        ["ask_form", form],
        ["ask_url", url],
      ] as const) {
        const { asked, response } = await converseWithTool(wire, tool, accepting());
        expect(asked, `${tool} of ${JSON.stringify(capabilities)}`).toHaveLength(isAllowed ? 1 : 0);
        if (isAllowed) expect(textOf(response)).toContain("accept");
        else if (isModern(revision)) expect(response.error?.code).toBe(-32021);
        else expect(response.result).toMatchObject({ isError: true });
      }
    }
  },
);

verify(
  ["elicitation/message-present", "elicitation/form-shape", "elicitation/form-flat-schema"],
  "asks with a message and a flat form of fields that the revision knows",
  async ({ open, revision }) => {
    const wire = await open({ capabilities: CAPABLE });
    const isRich = revision !== "2025-06-18";
    const form = await questionOf(wire, "ask_form");
    expect(form.params).toEqual({
      ...(isRich && { mode: "form" }),
      message: "Tell me about yourself",
      requestedSchema: isRich ? EVERY_FIELD : PLAIN_FIELDS,
    });
    const choices = await converseWithTool(wire, "ask_choices", accepting({ colors: ["red"] }));
    expect(choices.asked.map(({ params }) => params["requestedSchema"])).toEqual(isRich ? [CHOICES] : []);
    expect(choices.response.result?.["isError"]).toBe(isRich ? undefined : true);
    const nested = await converseWithTool(wire, "ask_nested", accepting());
    expect(nested.asked).toEqual([]);
    expect(nested.response.result).toMatchObject({ isError: true });
    expect(textOf(nested.response)).toContain("address");
  },
);

/** 2025-06-18 has one way to offer choices, and no defaults but a boolean's. */
const PLAIN_FIELDS = {
  ...EVERY_FIELD,
  properties: {
    ...EVERY_FIELD.properties,
    birthday: { type: "string", format: "date" },
    age: { type: "integer", minimum: 0, maximum: 150 },
    score: { type: "number", minimum: 0, maximum: 100 },
    color: { type: "string", enum: ["red", "green", "blue"] },
    size: { type: "string", enum: ["s", "l"], enumNames: ["Small", "Large"] },
  },
};

const KEYWORDS: { readonly [type: string]: RegExp } = {
  string: /^(type|title|description|minLength|maxLength|format|enum|enumNames|oneOf|default)$/,
  integer: /^(type|title|description|minimum|maximum|default)$/,
};

verify(
  "elicitation/form-flat-schema",
  "keeps what a schema library adds out of the form",
  async ({ open }) => {
    const wire = await open({ server: LIBRARIES, capabilities: CAPABLE });
    const { params } = await questionOf(wire, "ask_zod_form");
    const { type, properties, ...rest } = params["requestedSchema"] as Fields;
    expect({ type, ...rest }).toEqual({ type: "object", required: ["email", "age", "color"] });
    for (const [name, field] of Object.entries(properties as Record<string, Fields>)) {
      for (const keyword of Object.keys(field))
        expect(keyword, name).toMatch(KEYWORDS[String(field["type"])] ?? /^$/);
    }
    expect(properties).toMatchObject({ email: { format: "email" }, color: { enum: ["red", "green"] } });
  },
);

verify(
  ["elicitation/url-shape", "elicitation/url-https"],
  "sends the user to a proper address",
  async ({ open, revision }) => {
    const wire = await open({ capabilities: CAPABLE });
    const { params } = await questionOf(wire, "ask_url");
    const { elicitationId, ...rest } = params;
    expect(rest).toEqual({ mode: "url", message: "Please sign in", url: "https://example.org/sign-in" });
    expect(new URL(rest["url"] as string).protocol).toBe("https:");
    if (revision === "2025-11-25") expect(elicitationId).toMatch(/^\S+$/);
    else expect(elicitationId).toBeUndefined();
    const again = await questionOf(wire, "ask_url");
    if (revision === "2025-11-25") expect(again.params["elicitationId"]).not.toBe(elicitationId);
  },
);

verify("elicitation/form-without-links", "puts no link into a form", async ({ open }) => {
  const wire = await open({ capabilities: CAPABLE });
  for (const tool of ["ask_form", "ask_choices", "ask_twice"]) {
    const { params } = await questionOf(wire, tool);
    expect(params["message"]).toBeTypeOf("string");
    expect(JSON.stringify(params)).not.toMatch(/\w:\/\/|www\.|mailto:/);
  }
});

/** Every way to fail that is not about a page to be visited first. */
const FAILING = [
  "fail_for_the_model",
  "fail_by_accident",
  "fail_as_protocol",
  "fail_to_serialize",
  "broken_output",
  "unknown_dialect",
  "remote_reference",
  "Echo.text-1",
  "nobody",
  "ask_form",
  "ask_nested",
  "ask_url",
  "sample_blocks",
  "sample_with_tools",
  "list_roots",
];

verify(
  ["elicitation/required-error-only-for-url", "elicitation/required-error-shape"],
  "returns -32042 only with the URL elicitations that must come first",
  async ({ open }) => {
    const wire = await open({ capabilities: { elicitation: { url: {} } } });
    const { error } = await callTool(wire, "visit_first");
    expect(error?.code).toBe(-32042);
    const data = error?.data as { readonly elicitations: readonly Fields[] } | undefined;
    expect(data?.elicitations).toHaveLength(1);
    for (const { mode, message, url, elicitationId } of data?.elicitations ?? []) {
      expect(mode).toBe("url");
      expect(message).toBeTypeOf("string");
      expect(URL.canParse(url as string)).toBe(true);
      expect(elicitationId).toMatch(/^\S+$/);
    }
    wire.answer(CREATE, () => ({ action: "cancel" }));
    for (const name of FAILING) {
      const { error: other, result } = await callTool(wire, name);
      expect(other ?? result, name).toBeDefined();
      expect(other?.code, name).not.toBe(-32042);
    }
  },
);

verify(
  "elicitation/answer-validated",
  "takes no answer that the form does not allow",
  async ({ open, revision }) => {
    const wire = await open({ capabilities: CAPABLE });
    const wrong: Fields[] = [
      {},
      { name: "Ann" },
      { ...FORM, name: "" },
      { ...FORM, email: "nobody" },
      { ...FORM, birthday: "yesterday" },
      { ...FORM, age: 1.5 },
      { ...FORM, age: "30" },
      { ...FORM, score: 101 },
      { ...FORM, member: "yes" },
      { ...FORM, color: "pink" },
      { ...FORM, size: "Small" },
    ];
    for (const content of wrong) {
      // Whoever is asked again answers properly in the end.
      let tries = 0;
      const { asked, response } = await converseWithTool(wire, "ask_form", {
        [CREATE]: () => (tries++ === 0 ? { action: "accept", content } : { action: "decline" }),
      });
      expect(asked).toHaveLength(isModern(revision) ? 2 : 1);
      if (isModern(revision)) expect(textOf(response)).toBe("decline");
      else expect(response.result, JSON.stringify(content)).toMatchObject({ isError: true });
    }
    expect((await journalOf(wire)).ran).not.toContain("ask_form accept");
    expect(textOf((await converseWithTool(wire, "ask_form", accepting())).response)).toContain('"Ann"');
    expect((await journalOf(wire)).ran).toContain("ask_form accept");
  },
);

verify("elicitation/refusal-handled", "answers regularly when the user refuses", async ({ open }) => {
  const wire = await open({ capabilities: CAPABLE });
  for (const action of ["decline", "cancel"]) {
    for (const tool of ["ask_form", "ask_url", "ask_twice"]) {
      const { response } = await converseWithTool(wire, tool, { [CREATE]: () => ({ action }) });
      expect(response.result).toMatchObject({
        resultType: "complete",
        content: [{ type: "text", text: action }],
      });
    }
  }
});

verify(
  "elicitation/refusal-handled-recommended",
  "answers regularly when the user refuses or the client fails",
  async ({ open }) => {
    const wire = await open({ capabilities: CAPABLE });
    for (const action of ["decline", "cancel"]) {
      const { response } = await converseWithTool(wire, "ask_form", { [CREATE]: () => ({ action }) });
      expect(response.result).toMatchObject({ content: [{ type: "text", text: action }] });
    }
    const { response } = await converseWithTool(wire, "ask_form", {
      [CREATE]: () => {
        throw new Error("the dialog would not open");
      },
    });
    expect(response.result ?? response.error).toBeDefined();
    expect(wire.heard.filter((message) => isRequest(message) && isOf(CREATE)(message))).toHaveLength(3);
    expect(textOf(await callTool(wire, "no_arguments"))).toBe("done");
  },
);
