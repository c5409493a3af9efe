import { readFileSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";

import type { Server, Tool } from "@suite/core";
import { type ClientCapabilities, DeferredServer, serveStdio, suits, type Servable } from "@suite/core/node";

import { type ContractSettings, keepsContract } from "../contract/settings.ts";
import { selectTools } from "../contract/selection.ts";
import type { DescribedTool } from "../contract/tool-list.ts";
import { EXIT_CODES, ExitError } from "../options/exit.ts";
import type { OptionTable, PositionalTable } from "../options/option.ts";
import type { Origins } from "../options/origin.ts";
import type { Environment } from "../options/resolve.ts";
import type { Metrics, StartedTelemetry } from "../telemetry/start-telemetry.ts";
import { readCommandLine } from "./command-line.ts";
import { introductionOf } from "./introduction.ts";
import { describeThrown, exitErrorOf } from "./failure.ts";
import type { OutputStream, ProgramIo } from "../telemetry/io.ts";
import type { Nothing, Program, ProgramOptions, ToolList } from "./program.ts";
import type { Redact } from "../telemetry/redact.ts";
import { showsViews, withView } from "../contract/apps.ts";
import { createStderrLog, type LogFormat, type StderrLog, toJsonLine } from "../telemetry/stderr-log.ts";

/**
 * Runs a server as the command line, the environment and a configuration file say: over standard streams, or over HTTP.
 * Returns at once and ends the process when it is done. There is nothing to await: programs are built as
 * CommonJS, which has no top-level `await`.
 */
export function runServer<
  const Own extends OptionTable = Nothing,
  const Positionals extends PositionalTable = Nothing,
>(program: Program<Own, Positionals>, io: ProgramIo = process): void {
  // A run reads options by the program's own tables, so it needs no type for each.
  void new ProgramRun(program as unknown as Program, io).run();
}

/** One run of a program. `run` never rejects: whatever goes wrong becomes an exit code. */
export class ProgramRun {
  readonly #program: Program;
  readonly #io: ProgramIo;
  #redact: Redact = (data) => data;
  #isVerbose = false;
  #format: LogFormat = "text";
  #traceId: () => string | undefined = () => undefined;
  #stderr: OutputStream | undefined;

  constructor(program: Program, io: ProgramIo) {
    this.#program = program;
    this.#io = io;
  }

  async run(): Promise<void> {
    try {
      await this.#runAsTold();
    } catch (thrown) {
      await this.#fail(thrown);
    }
  }

  async #runAsTold(): Promise<void> {
    const { options, origins, redact, answer } = await readCommandLine(this.#program, this.#io);
    this.#redact = redact;
    this.#isVerbose = options.logLevel === "debug";
    // If the options have problems, this one may be undefined.
    if (options.logFormat === "json") this.#format = "json";
    if (answer instanceof ExitError) throw answer;
    if (answer !== undefined) {
      const text = String(redact(answer.text));
      if (answer.aside !== undefined) await print(this.#openStderr(), String(redact(answer.aside)));
      return this.#end(this.#io.stdout, text, answer.exitCode ?? EXIT_CODES.clean);
    }
    await this.#serve(options, origins);
  }

  async #serve(options: ProgramOptions, origins: Origins): Promise<void> {
    this.#program.validate?.(options);
    const log = this.#createLog(options);
    if (this.#format === "json") this.#logWarnings(log);
    const telemetry = await this.#observe(options, log);
    const contract = await this.#toContract(options, origins, log, telemetry);
    this.#io.once("uncaughtException", (error: Error) => void this.#fail(error));
    const create = async (): Promise<Server<never>> => {
      const server = await this.#program.create(options, { log, redact: this.#redact, contract });
      this.#requireContract(server, contract);
      this.#requireIntroduction(server);
      return server;
    };
    if (options.http === undefined)
      return this.#serveStdio(await this.#toServable(options, contract, create), log);
    const { toHttpOptions } = await import("./http-options.ts");
    const http = await toHttpOptions({ options, origins, log, environment: this.#io.env });
    const { runHttp } = await import("./run-http.ts");
    const metrics = telemetry?.metrics && { ...telemetry.metrics, at: options.metrics ?? "" };
    const graceMs = options.grace;
    await runHttp({ server: await create(), http, log, graceMs, io: this.#io, metrics });
  }

  #serveStdio(server: Servable, log: StderrLog): Promise<void> {
    if (this.#io.stdin?.isTTY === true) {
      const advice = `Try ${this.#program.name} --print-host-config HOST to set one up, or --help.`;
      log.always(`waiting for an MCP client on standard input. ${advice}`);
    }
    return serveStdio(server);
  }

  /** Without this check, a server could accept --read-only and similar options but ignore them. */
  #requireContract(server: Server<never>, contract: ContractSettings): void {
    if (this.#program.keepsContract === false || keepsContract(server, contract)) return;
    const hint = "Make it with createServer of @suite/server-kit, or declare keepsContract: false.";
    throw new ExitError("internal", "the server does not use the contract that was passed to create", {
      hint,
    });
  }

  /** Clients that were told something else would call what is not there, or never learn of what is. */
  #requireIntroduction(server: Server<never>): void {
    const introduction = introductionOf(this.#program);
    const capabilities = server.runtime.catalog.capabilities();
    if (!introduction || isDeepStrictEqual(introduction.capabilities, capabilities)) return;
    const hint = `The server has ${JSON.stringify(capabilities)}: change what the introduction says, or what the server offers.`;
    throw new ExitError("internal", "the server's capabilities are not those of its introduction", { hint });
  }

  async #toServable(
    options: ProgramOptions,
    contract: ContractSettings,
    create: () => Promise<Server<never>>,
  ): Promise<Servable> {
    const { toolList } = this.#program;
    const introduction = introductionOf(this.#program);
    if (introduction === undefined) return create();
    const isChoosy = options.tools.length > 0 || options.excludeTools.length > 0;
    // Without structured results tools are listed without their output schemas.
    const list = contract.results === "text" ? undefined : toolList?.(options);
    if (!list) return isChoosy ? create() : new DeferredServer(introduction, create);
    let known: readonly DescribedTool[] | undefined;
    const offered = (): readonly DescribedTool[] => (known ??= readToolList(list, contract));
    // Reports misspelt --tools and --exclude-tools before the first answer to a client.
    if (isChoosy) offered();
    const { views } = this.#program;
    const tools = (client: ClientCapabilities): readonly Tool[] => {
      const toListed = ({ listed, view }: DescribedTool): Tool =>
        views && showsViews(client) ? withView(listed, introduction.info.name, view) : listed;
      return offered().flatMap((tool) => (suits(tool, client) ? [toListed(tool)] : []));
    };
    return new DeferredServer({ ...introduction, tools }, async () => {
      const server = await create();
      requireListed(server, offered());
      return server;
    });
  }

  async #toContract(
    options: ProgramOptions,
    origins: Origins,
    log: StderrLog,
    telemetry: StartedTelemetry | undefined,
  ): Promise<ContractSettings> {
    const { readOnly, tools, excludeTools, timeout, maxTimeout, confirm, auditLog } = options;
    const { maxResult, results, checkResults, requestStateSecret } = options;
    return {
      readOnly,
      tools,
      excludeTools,
      origins,
      timeoutMs: timeout,
      maxTimeoutMs: Math.max(timeout, maxTimeout),
      maxResult,
      results,
      checkResults,
      requestStateSecret,
      replica: options.store === undefined ? undefined : await this.#join(options, log, telemetry?.metrics),
      confirm,
      audit:
        auditLog === undefined ? undefined : (await import("../contract/audit.ts")).openAuditLog(auditLog),
      skills: this.#program.skills,
      views: this.#program.views,
      checks: this.#program.checks?.(options) ?? [],
      telemetry,
      redact: this.#redact,
      report: (thrown) => log.error(describeThrown(thrown, this.#isVerbose)),
    };
  }

  /** Loads telemetry only if metrics, an exporter or JSON logs are configured. */
  async #observe(options: ProgramOptions, log: StderrLog): Promise<StartedTelemetry | undefined> {
    const exports = exportsTelemetry(this.#io.env);
    const hasMetrics = options.metrics !== undefined;
    if (!exports && !hasMetrics && options.logFormat === "text") return undefined;
    const { startTelemetry } = await import("../telemetry/start-telemetry.ts");
    const { name, version } = this.#program;
    const transport = options.http === undefined ? "pipe" : "tcp";
    const report = (thrown: unknown): void => log.warning(describeThrown(thrown, this.#isVerbose));
    const started = await startTelemetry({ name, version, transport, hasMetrics, exports, log, report });
    this.#traceId = started.traceId;
    return started;
  }

  /** Loaded only if --store is given. */
  async #join(
    { store, storePassword: password }: ProgramOptions,
    log: StderrLog,
    metrics: Metrics | undefined,
  ): Promise<ContractSettings["replica"]> {
    const { joinReplicas } = await import("./replicas.ts");
    const { name } = this.#program;
    const [, script = ""] = this.#io.argv;
    return joinReplicas({ url: store ?? "", password, name, script, log, metrics: metrics?.store });
  }

  #createLog(options: ProgramOptions): StderrLog {
    const { name } = this.#program;
    const output = (): OutputStream => this.#openStderr();
    const traceId = (): string | undefined => this.#traceId();
    const [least, format] = [options.logLevel, this.#format];
    return createStderrLog({ name, least, format, redact: this.#redact, traceId, output });
  }

  /** Node would print them as plain text. */
  #logWarnings(log: StderrLog): void {
    this.#io.removeAllListeners("warning");
    this.#io.on("warning", (warning) => log.warning(describeThrown(warning, this.#isVerbose)));
  }

  /** Ignores write errors, such as a closed pipe: an "error" event without a listener would end the process. */
  #openStderr(): OutputStream {
    return (this.#stderr ??= this.#io.stderr.on("error", () => undefined));
  }

  /** Prints the error and its hint for the operator, then exits. */
  #fail(thrown: unknown): Promise<void> {
    const { name } = this.#program;
    const error = exitErrorOf(thrown, this.#isVerbose);
    if (this.#format === "json") {
      const [message, hint] = [error.message, error.hint].map((text) => text && String(this.#redact(text)));
      const line = toJsonLine(name, "error", message ?? "", { hint });
      return this.#end(this.#openStderr(), line, error.exitCode);
    }
    const lines = error.message.split("\n").map((line) => `${name}: ${line}`);
    if (error.hint !== undefined) lines.push(`${name}: ${error.hint}`);
    if (error.reason === "usage") lines.push(`Try ${name} --help.`);
    return this.#end(this.#openStderr(), String(this.#redact(`${lines.join("\n")}\n`)), error.exitCode);
  }

  /** Exits once the text is written: exiting earlier would truncate it on a slow pipe. */
  async #end(output: OutputStream, text: string, code: number): Promise<void> {
    await print(output, text);
    this.#io.exit(code);
  }
}

const EXPORTERS = ["ENDPOINT", "TRACES_ENDPOINT", "METRICS_ENDPOINT"].map((of) => `OTEL_EXPORTER_OTLP_${of}`);

const exportsTelemetry = (env: Environment): boolean =>
  env["OTEL_SDK_DISABLED"] !== "true" && EXPORTERS.some((name) => (env[name] ?? "") !== "");

const print = (output: OutputStream, text: string): Promise<void> =>
  new Promise((resolve) => output.write(text, resolve));

function requireListed(server: Server<never>, listed: readonly DescribedTool[]): void {
  const own = server.runtime.catalog.tools?.values().map(({ definition }) => definition.name) ?? [];
  const names = listed.map(({ name }) => name);
  const different = [
    ...own.filter((name) => !names.includes(name)),
    ...names.filter((name) => !own.includes(name)),
  ];
  if (different.length === 0) return;
  const hint =
    "The build lists the tools of the module that `tools` in package.json names: pass just these to createServer.";
  const message = `the server's tools are not those that its build has listed: ${different.join(", ")}`;
  throw new ExitError("internal", message, { hint });
}

function readToolList(
  { file, whyUnavailable }: ToolList,
  contract: ContractSettings,
): readonly DescribedTool[] {
  const tools = JSON.parse(readFileSync(file, "utf8")) as readonly DescribedTool[];
  return selectTools(tools, contract, whyUnavailable).offered;
}
