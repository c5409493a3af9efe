import {
  connectHttp,
  type Client,
  type ConnectOptions,
  type FetchTransportOptions,
} from "@suite/core/client";

import { PATIENCE_MS } from "../support/patience.ts";

interface ClientScenario {
  readonly options?: ConnectOptions & FetchTransportOptions;
  readonly run: (client: Client, context: ScenarioContext) => Promise<unknown>;
}

/** What the suite says about a scenario besides its name. */
interface ScenarioContext {
  readonly toolCalls?: readonly { readonly name: string; readonly arguments: object }[];
}

const listTools: ClientScenario["run"] = (client) => client.listTools();

/** What a client has to do for the suite to have something to look at, scenario by scenario. */
const SCENARIOS: { readonly [name: string]: ClientScenario } = {
  initialize: { run: listTools },
  tools_call: {
    async run(client) {
      await client.listTools();
      return client.callTool("add_numbers", { a: 5, b: 3 });
    },
  },
  "elicitation-sep1034-client-defaults": {
    // Accepts the form as it comes; the defaults are the client's business.
    options: { elicit: () => ({ action: "accept", content: {} }) },
    run: (client) => client.callTool("test_client_elicitation_defaults"),
  },
  "sse-retry": { run: (client) => client.callTool("test_reconnection") },
  "request-metadata": {
    options: {
      roots: [],
      sample: () => ({ role: "assistant", model: "none", content: { type: "text", text: "" } }),
      elicit: () => ({ action: "decline" }),
    },
    async run(client) {
      await client.listTools();
      return client.callTool("anything");
    },
  },
  "sep-2322-client-request-state": {
    options: { elicit: () => ({ action: "accept", content: { confirmed: true } }) },
    async run(client) {
      const names = (await client.listTools()).map(({ name }) => name);
      return Promise.all(names.map((name) => client.callTool(name)));
    },
  },
  "http-standard-headers": {
    async run(client) {
      for (const { name } of await client.listTools()) await client.callTool(name);
      for (const { uri } of await client.listResources()) await client.readResource(uri);
      for (const { name } of await client.listPrompts()) await client.getPrompt(name);
    },
  },
  "http-custom-headers": {
    async run(client, { toolCalls = [] }) {
      await client.listTools();
      for (const call of toolCalls) await client.callTool(call.name, call.arguments);
    },
  },
  "http-invalid-tool-headers": {
    options: { onWarning: (message) => process.stderr.write(`${message}\n`) },
    async run(client) {
      for (const { name } of await client.listTools()) await client.callTool(name, { region: "here" });
    },
  },
  "json-schema-ref-no-deref": { run: listTools },
  "json-schema-2020-12-preservation": {
    async run(client) {
      const tools = await client.listTools();
      const schema = tools.find(({ name }) => name === "json_schema_2020_12_tool")?.inputSchema;
      return client.callTool("json_schema_echo", { schema });
    },
  },
};

const name = process.env["MCP_CONFORMANCE_SCENARIO"] ?? "";
const version = process.env["MCP_CONFORMANCE_PROTOCOL_VERSION"] ?? "";
const context = JSON.parse(process.env["MCP_CONFORMANCE_CONTEXT"] ?? "{}") as ScenarioContext;
const scenario = SCENARIOS[name];
if (!scenario) throw new Error(`There is nothing to do for the scenario ${name}`);

const client = await connectHttp(process.argv.at(-1) ?? "", {
  ...scenario.options,
  // The suite's servers always answer, however late on a busy machine.
  probeMs: PATIENCE_MS,
  // The newest revision has to be found without being told.
  ...(version !== "2026-07-28" && { revision: version }),
});
await scenario.run(client, context);
await client.close();
