import { PATIENCE_MS } from "@suite/check/wires";
import {
  type ClientAuthorizationOptions,
  createClientAuthorization,
  enterpriseAssertion,
  type Login,
} from "@suite/auth/client";
import {
  connectHttp,
  type Client,
  type ConnectOptions,
  type FetchTransportOptions,
} from "@suite/core/client";

interface ClientScenario {
  readonly options?: ConnectOptions & FetchTransportOptions;
  readonly authorization?: (
    context: ScenarioContext,
  ) => Partial<ClientAuthorizationOptions> | Promise<Partial<ClientAuthorizationOptions>>;
  readonly run: (client: Client, context: ScenarioContext) => Promise<unknown>;
}

/** What the suite says about a scenario besides its name. */
interface ScenarioContext {
  readonly toolCalls?: readonly { readonly name: string; readonly arguments: object }[];
  readonly [secret: `${string}_${string}`]: string;
}

const listTools: ClientScenario["run"] = (client) => client.listTools();

/** The suite's authorization servers ask nobody: the page to log in at sends everyone back at once. */
const LOGIN: Login = {
  redirectUrl: "http://127.0.0.1:1/callback",
  async visit(address, signal) {
    const response = await fetch(address, { redirect: "manual", signal });
    return new URL(response.headers.get("location") ?? "", address);
  },
};

async function useServer(client: Client): Promise<void> {
  await client.listTools();
  await client.callTool("test-tool");
}

const AUTHORIZATION: ClientScenario = { run: useServer };

const withDpop: ClientScenario = {
  ...AUTHORIZATION,
  authorization: async () => ({
    dpop: await crypto.subtle.generateKey({ name: "ECDSA", namedCurve: "P-256" }, true, ["sign", "verify"]),
  }),
};

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
  "auth/pre-registration": {
    ...AUTHORIZATION,
    authorization: (context) => ({
      client: { id: context["client_id"] ?? "", secret: context["client_secret"] ?? "" },
    }),
  },
  "auth/client-credentials-basic": {
    ...AUTHORIZATION,
    authorization: (context) => ({
      grant: "client_credentials",
      client: { id: context["client_id"] ?? "", secret: context["client_secret"] ?? "" },
    }),
  },
  "auth/client-credentials-jwt": {
    ...AUTHORIZATION,
    authorization: (context) => ({
      grant: "client_credentials",
      client: {
        id: context["client_id"] ?? "",
        key: { pem: context["private_key_pem"] ?? "", algorithm: context["signing_algorithm"] ?? "" },
      },
    }),
  },
  "auth/enterprise-managed-authorization": {
    ...AUTHORIZATION,
    authorization: (context) => ({
      grant: enterpriseAssertion({
        issuer: context["idp_issuer"] ?? "",
        tokenEndpoint: context["idp_token_endpoint"] ?? "",
        clientId: context["idp_client_id"] ?? "",
        idToken: () => context["idp_id_token"] ?? "",
      }),
      client: { id: context["client_id"] ?? "", secret: context["client_secret"] ?? "" },
    }),
  },
  "auth/wif-jwt-bearer": {
    run: listTools,
    authorization: (context) => ({
      grant: { assertion: () => context["valid_jwt"] ?? "" },
      client: { id: context["client_id"] ?? "" },
    }),
  },
  "auth/dpop": withDpop,
  "auth/dpop-nonce": withDpop,
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
const isAuthorization = name.startsWith("auth/");
const scenario = SCENARIOS[name] ?? (isAuthorization ? AUTHORIZATION : undefined);
if (!scenario) throw new Error(`There is nothing to do for the scenario ${name}`);

const server = process.argv.at(-1) ?? "";
const client = await connectHttp(server, {
  ...scenario.options,
  ...(isAuthorization && {
    authorization: createClientAuthorization({
      server,
      grant: LOGIN,
      clientMetadataUrl: "https://conformance-test.local/client-metadata.json",
      ...(await scenario.authorization?.(context)),
    }),
  }),
  // The suite's servers always answer, however late on a busy machine.
  probeMs: PATIENCE_MS,
  // The newest revision has to be found without being told.
  ...(version !== "2026-07-28" && { revision: version }),
});
await scenario.run(client, context);
await client.close();
