import {
  callTool,
  capabilitiesOf,
  CAPABLE,
  type Fields,
  isOf,
  listAll,
  listen,
  LISTS,
  notificationsSince,
  subscriptionOf,
} from "@suite/check/wires";
import { expect } from "vitest";

import { BARE, EVERYTHING, NOTES } from "../support/servers.ts";
import type { Wire } from "../support/wire.ts";
import { verify, type VerifyContext } from "./verify.ts";

type Kind = "tools" | "prompts" | "resources";
type Verification = (context: VerifyContext) => Promise<void>;

/** How the one of each kind is named that a tool adds and another removes. */
const EXTRA: Readonly<Record<Kind, Fields>> = {
  tools: { name: "extra_tool" },
  prompts: { name: "extra_prompt" },
  resources: { uri: "demo:///extra" },
};

const listOf = (wire: Wire, kind: Kind): Promise<readonly Fields[]> => listAll(wire, `${kind}/list`);

/** Many requests that must leave no trace in what the server lists on this connection (modern era). */
async function disturb(wire: Wire): Promise<void> {
  await wire.request("server/discover");
  await listen(wire, { toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true });
  for (const name of ["no_arguments", "fail_by_accident", "nobody", "count", "ask_form"])
    await callTool(wire, name);
  await wire.request("resources/read", { uri: "demo:///text" });
  await wire.request("prompts/get", { name: "greeting", arguments: { name: "x" } });
  await wire.request("prompts/list", { cursor: "nonsense" });
}

const isDeclared =
  (kind: Kind, declared: Fields = { listChanged: true }): Verification =>
  async ({ shared }) => {
    for (const server of [EVERYTHING, NOTES]) {
      const wire = await shared(server);
      expect(await listOf(wire, kind)).not.toHaveLength(0);
      expect(await capabilitiesOf(wire)).toMatchObject({ [kind]: declared });
    }
  };

const isEmpty =
  (kind: Kind): Verification =>
  async ({ open }) => {
    const wire = await open({ server: BARE });
    expect(await capabilitiesOf(wire)).toHaveProperty(kind);
    for (const [method, member] of Object.entries(LISTS))
      if (method.startsWith(`${kind}/`))
        expect((await wire.request(method)).result).toMatchObject({ [member]: [] });
  };

const isTheSameForAll =
  (kind: Kind): Verification =>
  async ({ open }) => {
    const one = await open();
    const other = await open({ capabilities: CAPABLE });
    const listed = await listOf(one, kind);
    await disturb(one);
    expect(await listOf(one, kind)).toEqual(listed);
    expect(await listOf(other, kind)).toEqual(listed);
  };

const saysWhenItChanged =
  (kind: Kind): Verification =>
  async ({ open }) => {
    const changed = `notifications/${kind}/list_changed`;
    const wire = await open();
    expect(await capabilitiesOf(wire)).toMatchObject({ [kind]: { listChanged: true } });
    for (const change of ["add", "remove"]) {
      await callTool(wire, `${change}_${kind.slice(0, -1)}`);
      expect(await wire.hear(isOf(changed))).not.toHaveProperty("id");
      const added = (await listOf(wire, kind)).filter((one) =>
        Object.entries(EXTRA[kind]).every(([field, value]) => one[field] === value),
      );
      expect(added).toHaveLength(change === "add" ? 1 : 0);
    }
    expect(notificationsSince(wire, 0)).toEqual([changed, changed]);
  };

const tellsListeners =
  (kind: Kind): Verification =>
  async ({ open }) => {
    const other = kind === "tools" ? "promptsListChanged" : "toolsListChanged";
    const wire = await open();
    const first = await listen(wire, { [`${kind}ListChanged`]: true });
    const second = await listen(wire, { [`${kind}ListChanged`]: true, [other]: true });
    await listen(wire, { [other]: true });
    await callTool(wire, `add_${kind.slice(0, -1)}`);
    await callTool(wire, "no_arguments");
    const told = wire.heard.filter(isOf(`notifications/${kind}/list_changed`));
    expect(told.map(subscriptionOf)).toEqual([first, second]);
  };

verify("tools/capability-declared", "declares tools when it has some", isDeclared("tools"));
verify("tools/list-answered", "answers with an empty list when there are none", isEmpty("tools"));
verify(
  ["tools/list-same-for-all", "tools/deterministic-order"],
  "lists the same tools in the same order to everybody, whatever happened before",
  isTheSameForAll("tools"),
);
verify("tools/list-changed", "says when the list has changed", saysWhenItChanged("tools"));
verify(
  "tools/list-changed-to-listeners",
  "tells every stream that asked about changes of the list",
  tellsListeners("tools"),
);

verify("prompts/capability-declared", "declares prompts when it has some", isDeclared("prompts"));
verify("prompts/list-answered", "answers with an empty list when there are none", isEmpty("prompts"));
verify(
  "prompts/list-same-for-all",
  "lists the same prompts to everybody, whatever happened before",
  isTheSameForAll("prompts"),
);
verify("prompts/list-changed", "says when the list has changed", saysWhenItChanged("prompts"));
verify(
  "prompts/list-changed-to-listeners",
  "tells every stream that asked about changes of the list",
  tellsListeners("prompts"),
);

verify(
  "resources/capability-declared",
  "declares resources when it has some",
  isDeclared("resources", { listChanged: true, subscribe: true }),
);
verify("resources/list-answered", "answers with empty lists when there are none", isEmpty("resources"));
verify(
  "resources/list-same-for-all",
  "lists the same resources to everybody, whatever happened before",
  isTheSameForAll("resources"),
);
verify("resources/list-changed", "says when the list has changed", saysWhenItChanged("resources"));
verify(
  "resources/list-changed-to-listeners",
  "tells every stream that asked about changes of the list",
  tellsListeners("resources"),
);
