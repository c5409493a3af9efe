import type { Revision } from "@suite/check/wires";
import { onTestFinished } from "vitest";

import type { Outsider } from "../clients/outsider.ts";
import { connectV1 } from "../clients/sdk-v1.ts";
import { connectV2 } from "../clients/sdk-v2.ts";

/** For as long as the test takes. */
function agree(outsider: Outsider): Outsider {
  onTestFinished(() => outsider.client.close());
  outsider.answers.elicit = () => ({ action: "accept", content: { word: "yes" } });
  return outsider;
}

/** `fetch` lets a test come between client and server. */
export const visitV1 = async (
  url: string,
  revision: Revision,
  fetch?: typeof globalThis.fetch,
): Promise<Outsider> => agree(await connectV1(new URL(url), revision, fetch));

export const visitV2 = async (url: string, revision: Revision | "auto"): Promise<Outsider> =>
  agree(await connectV2(new URL(url), revision));
