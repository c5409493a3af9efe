import { isModern, META_PROTOCOL_VERSION } from "../wires/revisions.ts";
import { type Check, type Visit, codeOf, type Note } from "./visit.ts";

const UNKNOWN = "base/unknown-method";
const VERSION = "versioning/unsupported-version-error";

const expectCode = async (
  { wire }: Visit,
  note: Note,
  rule: string,
  what: string,
  request: readonly [method: string, params?: object, options?: object],
  codes: readonly number[],
): Promise<void> => {
  const [method, params = {}, options = {}] = request;
  const code = codeOf(await wire.request(method, { ...params }, options));
  if (!codes.map(String).includes(code)) note(rule, `${what} gets ${code}, and not ${codes.join(" or ")}`);
};

export const lifecycle: Check = {
  name: "lifecycle",
  async run(visit, note) {
    const { wire, revision } = visit;
    await expectCode(visit, note, UNKNOWN, "An unknown method", ["no/such/method"], [-32601]);
    // Nobody may answer this.
    wire.notify("notifications/no_such");
    if (isModern(revision)) {
      const meta = { [META_PROTOCOL_VERSION]: "1999-12-31" };
      const opening = ["server/discover", {}, { meta }] as const;
      // Over HTTP the header says otherwise.
      await expectCode(visit, note, VERSION, "A revision that nobody speaks", opening, [-32022, -32020]);
      await expectCode(visit, note, UNKNOWN, "ping, which is gone,", ["ping"], [-32601]);
      return undefined;
    }
    const { result } = await wire.request("ping");
    if (JSON.stringify(result) !== "{}") note("ping/answered", "ping is not answered with an empty result");
    return undefined;
  },
};
