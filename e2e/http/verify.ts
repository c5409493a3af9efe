import { expect, it } from "vitest";

import type { HttpOptions } from "@suite/core/http";

import { httpRequirements } from "../requirements/index.ts";
import type { Revision } from "../requirements/revisions.ts";
import { revisionsOf } from "../requirements/verify.ts";
import { HttpWire } from "./http-wire.ts";
import { serve, type Served } from "./serving.ts";

export interface HttpVerifyContext {
  readonly revision: Revision;
  readonly served: Served;
  /** Opens a session, or, in the modern era, nothing. */
  readonly open: (capabilities?: object) => Promise<HttpWire>;
}

export interface HttpVerifyOptions {
  /** Fewer than the requirements have in common. */
  readonly revisions?: readonly Revision[];
  readonly serving?: HttpOptions;
}

const byId = new Map(httpRequirements.map((requirement) => [requirement.id, requirement]));

/**
 * One test for each revision that the cited requirements have in common.
 * Call it at the top level of a file, with the ids written out: coverage.test.ts reads them from the text.
 */
export function verify(
  ids: string | readonly string[],
  title: string,
  run: (context: HttpVerifyContext) => Promise<void>,
  { revisions, serving = {} }: HttpVerifyOptions = {},
): void {
  const cited = [ids].flat();
  const found = cited.map((id) => {
    const requirement = byId.get(id);
    if (!requirement) throw new Error(`There is no requirement ${id}`);
    return requirement;
  });
  for (const revision of revisionsOf(found, revisions)) {
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
