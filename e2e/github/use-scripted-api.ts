import { beforeEach } from "vitest";

import { undoAtEnd } from "../support/afterwards.ts";
import { type Script, type ScriptedApi, startScriptedApi } from "./scripted-api.ts";

/** One for all tests of a file; each finds it as it was at first. */
export async function useScriptedApi(script: Script = {}): Promise<ScriptedApi> {
  const api = await startScriptedApi(script);
  undoAtEnd(() => api.close());
  beforeEach(() => {
    api.asked.length = 0;
    api.script = script;
  });
  return api;
}
