import type { Message } from "../wires/message.ts";
import { type Check, firstLineOf, isThere, type Note, type OpenServer, type Visit } from "./visit.ts";

/** Lines that are no JSON. */
const UNREADABLE: readonly (string | Buffer)[] = [
  '{"jsonrpc":"2.0","id":1,"method":"pi',
  "hello, are you there?",
  "\0".repeat(1000),
  Buffer.of(0x7b, 0x22, 0xc0, 0xaf, 0xed, 0xa0, 0x80, 0x22),
];

/** JSON that is no message, by its id. */
const NO_MESSAGES: Readonly<Record<string, string>> = {
  "no jsonrpc": '{"id":"no jsonrpc","method":"tools/list"}',
  "other jsonrpc": '{"jsonrpc":"1.0","id":"other jsonrpc","method":"tools/list"}',
  "no method": '{"jsonrpc":"2.0","id":"no method","method":{"name":"tools/list"}}',
};

/** JSON text: some have no other way to be written. */
const WRONG_IDS: readonly string[] = ["null", "true", "1.5", "{}", "[1]"];

const DEEP = JSON.parse(`${"[".repeat(500)}${"]".repeat(500)}`) as unknown;

/** Requests that nobody who knows the schema sends. */
const WRONG_PARAMS: readonly (readonly [method: string, params: object])[] = [
  ["tools/call", {}],
  ["tools/call", { name: 5 }],
  ["tools/call", { name: "__proto__", arguments: {} }],
  ["tools/call", { name: "n".repeat(100_000), arguments: {} }],
  ["tools/call", { name: "no_such_tool", arguments: "text" }],
  ["tools/call", { name: "no_such_tool", arguments: { deep: DEEP } }],
  ["tools/list", { cursor: { deep: DEEP } }],
  ["resources/read", { uri: 5 }],
  ["resources/read", { uri: "file:///%00" }],
  ["prompts/get", { name: null, arguments: [] }],
  ["completion/complete", { ref: null, argument: null }],
  ["__proto__", {}],
  ["", {}],
];

/** Gives what was heard meanwhile; nothing if that was the end. */
type SendLines = (
  lines: readonly (string | Buffer)[],
  what: string,
) => Promise<readonly Message[] | undefined>;

/** Bounded: it is there to find servers that break, not to break them. */
export const hostile: Check = {
  name: "hostile input",
  async run(visit, note) {
    const another = await visit.again();
    const opened = await visit.open(another.place);
    try {
      if (opened.write && !(await sendLines(visit, opened, opened.write, note))) return undefined;
      for (const [method, params] of WRONG_PARAMS) opened.wire.send(method, { ...params });
      await expectAlive(visit, opened, "requests with wrong params", note);
    } finally {
      await opened.end(() => undefined);
      await another.end?.();
    }
    return undefined;
  },
};

async function expectAlive(
  { revision }: Visit,
  { wire }: OpenServer,
  after: string,
  note: Note,
): Promise<boolean> {
  try {
    return (await isThere({ wire, revision })).result !== undefined;
  } catch (error) {
    note("hostile/survived", `It does not answer any more after ${after}`, firstLineOf(error));
    return false;
  }
}

async function sendLines(
  visit: Visit,
  opened: OpenServer,
  write: NonNullable<OpenServer["write"]>,
  note: Note,
): Promise<boolean> {
  const { heard } = opened.wire;
  const send: SendLines = async (lines, what) => {
    const before = heard.length;
    for (const line of lines) write(Buffer.concat([Buffer.from(line), Buffer.from("\n")]));
    return (await expectAlive(visit, opened, what, note)) ? heard.slice(before, -1) : undefined;
  };
  const toUnreadable = await send(UNREADABLE, "lines that are no JSON");
  if (!toUnreadable) return false;
  if (!toUnreadable.some(({ error }) => error?.code === -32_700))
    note("base/parse-error", "A line that is no JSON is not answered with -32700");
  const toOthers = await send(Object.values(NO_MESSAGES), "JSON that is no message");
  if (!toOthers) return false;
  for (const id of Object.keys(NO_MESSAGES)) {
    const answer = toOthers.find((message) => message.id === id);
    if (answer?.error?.code !== -32_600)
      note("base/invalid-request", `A message with ${id} is not answered with -32600`);
  }
  const wrong = WRONG_IDS.map((id) => `{"jsonrpc":"2.0","id":${id},"method":"tools/list"}`);
  const toWrong = await send(wrong, "ids of wrong types");
  for (const { id, result } of toWrong ?? [])
    if (result !== undefined && typeof id !== "string" && !Number.isInteger(id))
      note("base/unusable-request-id-refused", `A request with the id ${JSON.stringify(id)} is carried out`);
  return toWrong !== undefined;
}
