import { isModern, META_PROTOCOL_VERSION } from "../../support/revisions.ts";
import { type BedCheck, type BedVisit, codeOf, type Notes } from "../visit.ts";

const expectCode = async (
  { wire }: BedVisit,
  { find }: Notes,
  what: string,
  request: readonly [method: string, params?: object, options?: object],
  codes: readonly number[],
): Promise<void> => {
  const [method, params = {}, options = {}] = request;
  const code = codeOf(await wire.request(method, { ...params }, options));
  if (!codes.map(String).includes(code)) find(`${what} gets ${code}, and not ${codes.join(" or ")}`);
};

export const lifecycle: BedCheck = {
  capability: "lifecycle",
  async run(visit, notes) {
    const { wire, revision } = visit;
    await expectCode(visit, notes, "An unknown method", ["no/such/method"], [-32601]);
    // Nobody may answer this.
    wire.notify("notifications/no_such");
    if (isModern(revision)) {
      const meta = { [META_PROTOCOL_VERSION]: "1999-12-31" };
      const opening = ["server/discover", {}, { meta }] as const;
      // Over HTTP the header says otherwise.
      await expectCode(visit, notes, "A revision that nobody speaks", opening, [-32022, -32020]);
      await expectCode(visit, notes, "ping, which is gone,", ["ping"], [-32601]);
      return undefined;
    }
    const { result } = await wire.request("ping");
    if (JSON.stringify(result) !== "{}") notes.find("ping is not answered with an empty result");
    return undefined;
  },
};
