import { type Fields, isWriter, type ListedTool } from "@suite/check/wires";

type Complaint = (tool: ListedTool) => string | false | undefined;

const isText = (value: unknown): boolean => typeof value === "string" && value.trim() !== "";

/** What every tool says of itself. */
export const FACTS: readonly Complaint[] = [
  ({ title }) => !isText(title) && "has no title",
  ({ description }) => !isText(description) && "has no description",
  ({ outputSchema }) => outputSchema?.["type"] !== "object" && "has no outputSchema of an object",
  ({ inputSchema }) =>
    inputSchema["additionalProperties"] !== false && "takes arguments that it does not name",
  ({ annotations }) => typeof annotations?.["readOnlyHint"] !== "boolean" && "has no readOnlyHint",
  ({ annotations }) => typeof annotations?.["openWorldHint"] !== "boolean" && "has no openWorldHint",
  (tool) =>
    isWriter(tool) && typeof tool.annotations?.["destructiveHint"] !== "boolean" && "has no destructiveHint",
  ({ _meta }) =>
    !/^[1-9]\d*-[0-9a-f]{8}$/.test(String(_meta?.["dev.suite/schema"])) && "has no dev.suite/schema",
  ({ _meta }) => !isText(_meta?.["dev.suite/effects"]) && "has no dev.suite/effects",
  ({ _meta }) => typeof _meta?.["dev.suite/deterministic"] !== "boolean" && "has no dev.suite/deterministic",
];

/** What every tool that changes something takes and gives. */
export const OF_WRITERS: readonly Complaint[] = [
  ({ inputSchema }) => inputSchema.properties?.["dry_run"]?.["type"] !== "boolean" && "takes no dry_run",
  ({ inputSchema }) => inputSchema.required?.includes("dry_run") && "cannot do without dry_run",
  ({ outputSchema }) =>
    outputSchema?.properties?.["changed"]?.["type"] !== "array" && "does not list what changed",
  ({ outputSchema }) => !outputSchema?.properties?.["dry_run"] && "does not say whether it was a dry run",
];

export const complain = (tool: ListedTool, rules: readonly Complaint[]): readonly string[] =>
  rules
    .map((rule) => rule(tool))
    .filter((complaint) => typeof complaint === "string")
    .map((complaint) => `${tool.name} ${complaint}`);

/** What is wrong with how a tool presents itself. */
export const complaintsAboutTool = (tool: ListedTool): readonly string[] =>
  complain(tool, isWriter(tool) ? [...FACTS, ...OF_WRITERS] : FACTS);

const STATUSES = new Set<unknown>(["ok", "warning", "missing"]);

/** What is wrong with how a server reports what it needs and found. */
export function complaintsAboutReport(report: Fields): readonly string[] {
  const checks = report["checks"] as readonly Fields[];
  const node = checks[0] ?? {};
  const isCheck = ({ name, status, needed }: Fields): boolean =>
    typeof name === "string" && typeof needed === "string" && STATUSES.has(status);
  return [
    ...(typeof report["server"] === "string" ? [] : ["does not name the server"]),
    ...(/^\d+\.\d+\.\d+/.test(String(report["version"])) ? [] : ["does not say its version"]),
    ...(report["healthy"] === true ? [] : ["does not find the server well"]),
    ...(node["name"] === "node" && node["status"] === "ok" ? [] : ["does not say which Node runs"]),
    ...checks.filter((check) => !isCheck(check)).map((check) => `has ${JSON.stringify(check)}`),
  ];
}
