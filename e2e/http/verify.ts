import { HttpWire, type Revision } from "@suite/check/wires";
import { expect, it } from "vitest";

import type { HttpOptions } from "@suite/core/http";

import { httpRequirements, revisionsOf } from "../requirements/index.ts";
import { serve, type Served } from "./serving.ts";

export interface HttpVerifyContext {
  readonly revision: Revision;
  readonly served: Served;
  /** Opens a session, or, in the modern era, nothing. */
  readonly open: (capabilities?: object) => Promise<HttpWire>;
}

export interface HttpVerifyOptions {
  readonly serving?: HttpOptions;
}

/**
 * One test for each revision that the cited requirements have in common.
 * Call it at the top level of a file, with the ids written out: coverage.test.ts reads them from the text.
 */
export function verify(
  ids: string | readonly string[],
  title: string,
  run: (context: HttpVerifyContext) => Promise<void>,
  { serving = {} }: HttpVerifyOptions = {},
): void {
  const cited = [ids].flat();
  for (const revision of revisionsOf(httpRequirements, cited)) {
    it(`${revision} ${title} [${cited.join(", ")}]`, async () => {
      expect.hasAssertions();
      const served = await serve(serving);
      await run({
        revision,
        served,
        open: (capabilities) => HttpWire.open(served.url, revision, capabilities),
      });
    });
  }
}
