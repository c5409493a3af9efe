import type { Issue } from "../../model/entities.ts";

export type { Issue };

const PLAIN_NAME = /^[\p{ID_Start}$_][\p{ID_Continue}$-]*$/u;
const MAX_NAME = 60;

export function cut(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length)}…` : text;
}

/** `items[0].name`; names that would read ambiguously are quoted: `["a b"]`. */
export function toPathText(path: Issue["path"]): string {
  let text = "";
  for (const step of path) {
    if (typeof step === "number") text += `[${step}]`;
    else if (!PLAIN_NAME.test(step) || step.length > MAX_NAME)
      text += `[${JSON.stringify(cut(step, MAX_NAME))}]`;
    else text += text === "" ? step : `.${step}`;
  }
  return text === "" ? "(root)" : text;
}

export function describeIssues(issues: readonly Issue[]): string {
  return issues.map(({ path, message }) => `- ${toPathText(path)}: ${message}`).join("\n");
}
