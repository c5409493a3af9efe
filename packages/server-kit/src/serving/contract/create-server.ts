import {
  checkList,
  createServer as createCoreServer,
  type Server,
  type ServerConfig as CoreServerConfig,
} from "@suite/core";

import { KeyedLocks } from "../../domain/timing/locks.ts";
import { AuditLayer } from "./audit-layer.ts";
import { type AdmitsSubscriber, createContractLayer } from "./contract-layer.ts";
import { createSkills } from "../skills/skills.ts";
import { createEnvironmentResource } from "./environment.ts";
import { toCoreTool } from "./execution.ts";
import { createArgumentsLayer } from "./normalize-arguments.ts";
import { type ContractSettings, rememberContract } from "./settings.ts";
import { type WhyUnavailable, selectTools } from "./selection.ts";
import { createToolGuide } from "./tool-guide.ts";
import { createViewsLayer } from "./apps.ts";
import { checkTool, type ToolDefinition } from "./tool.ts";

type Inherited =
  | "name"
  | "version"
  | "title"
  | "description"
  | "websiteUrl"
  | "icons"
  | "instructions"
  | "resources"
  | "templates"
  | "prompts"
  | "caching"
  | "pageSize"
  | "limits"
  | "dispose";

/** What `createServer` takes: the core's configuration, with tools that have a contract. */
export type ServerConfig<State> = Pick<CoreServerConfig<State>, Inherited> & {
  readonly state: State;
  readonly tools: readonly ToolDefinition<State>[];
  /**
   * Why a tool cannot work with the server's options: it is not offered then, and a call to it fails with this reason. Asked
   * again when a tool is called that was removed since.
   */
  readonly whyUnavailable?: WhyUnavailable;
  /**
   * Throws if this client may not subscribe to this URI (yet): the watcher itself does not know clients. Called again when
   * the client's roots change; subscriptions that it then throws for end.
   */
  readonly admitSubscriber?: AdmitsSubscriber<State>;
  /**
   * Whether results are checked against the output schemas of their tools. They are unless said otherwise; a server whose
   * tests call every tool with `checkResults` need not.
   */
  readonly checksResults?: boolean;
  /** Hides secrets that only the server knows, beside those of its options. */
  readonly redact?: (data: unknown) => unknown;
  /** Called with the server once it is made, for what changes or announces itself later. */
  readonly created?: (server: Server<State>) => void;
};

/** A server that keeps the contract with agents: errors, deadlines, retries, confirmation, audit, environment. */
export function createServer<State>(
  config: ServerConfig<State>,
  given: ContractSettings,
): Server<NoInfer<State>> {
  const hide = config.redact;
  const contract = hide ? { ...given, redact: (data: unknown): unknown => hide(given.redact(data)) } : given;
  const { name, version, tools, whyUnavailable, admitSubscriber, resources = [], ...others } = config;
  const { checksResults = true, templates = [], redact: _redact, created, ...rest } = others;
  const checks = checksResults ? "convert" : contract.checkResults ? "compare" : "none";
  checkList("tools", tools);
  for (const tool of tools) checkTool(tool);
  const selection = selectTools(tools, contract, whyUnavailable);
  const guided = { ...contract, guide: createToolGuide(selection) };
  const locks = new KeyedLocks();
  const { redact, requestStateSecret, replica, telemetry } = contract;
  const audit = contract.audit && new AuditLayer(contract.audit, `${name} ${version}`, contract);
  const skills = contract.skills && createSkills(contract.skills);
  const dispose = async (state: State): Promise<void> => {
    try {
      await config.dispose?.(state);
    } finally {
      audit?.close();
      await telemetry?.close();
    }
  };
  const server = createCoreServer({
    ...rest,
    name,
    version,
    convertsSchemas: checksResults,
    tools: selection.offered.map((tool) => toCoreTool(tool, guided, locks, checks)),
    resources: [...resources, createEnvironmentResource({ name, version }, contract.checks, redact)],
    // Skills come last: many hosts ask only for the first page of resources.
    templates: [...templates, ...(skills ? [skills.template] : [])],
    ...(skills && { extensions: skills.extensions }),
    middleware: [
      ...(telemetry ? [telemetry.layer] : []),
      createArgumentsLayer(selection),
      ...(audit ? [audit.run.bind(audit)] : []),
      ...(contract.views ? [createViewsLayer({ folder: contract.views, server: name, tools })] : []),
      createContractLayer(guided, selection, admitSubscriber, audit?.leaveOut.bind(audit)),
    ],
    ...(requestStateSecret !== undefined && {
      requestStateSecret: new TextEncoder().encode(requestStateSecret),
    }),
    ...(replica && { replica }),
    redact,
    onError: contract.report,
    dispose,
  } as CoreServerConfig<State>);
  rememberContract(server, contract);
  created?.(server);
  return server;
}
