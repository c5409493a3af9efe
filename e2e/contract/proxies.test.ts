import { describe, expect, it } from "vitest";

import { callFetch, openFetch } from "../fetch/program.ts";
import { openWeb } from "../fetch/web.ts";
import { openGithub, tryTool } from "../github/program.ts";
import { startProxy } from "../support/proxy.ts";

interface Traveller {
  readonly name: string;
  readonly path: string;
  /** What a model reads of that path at this place. */
  readonly read: (origin: string, env: NodeJS.ProcessEnv) => Promise<string>;
}

const TRAVELLERS: readonly Traveller[] = [
  {
    name: "fetch",
    path: "/page",
    read: async (origin, env) => {
      const wire = await openFetch(["--allow-private-hosts", new URL(origin).host], { env });
      return (await callFetch(wire, "fetch", { url: `${origin}/page` })).text;
    },
  },
  {
    name: "github",
    path: "/user",
    read: async (origin, env) => {
      const wire = await openGithub(origin, ["--timeout", "20s"], { env });
      return (await tryTool(wire, "get_me")).text;
    },
  },
];

const openPlace = () =>
  openWeb({
    "/page": { body: "<p>octocat</p>" },
    "/user": { type: "application/json", body: '{ "login": "octocat" }' },
  });

describe.each(TRAVELLERS)("$name", ({ path, read }) => {
  it("goes through a proxy", async () => {
    const [proxy, place] = [await startProxy(), await openPlace()];
    expect(await read(place.origin, { HTTP_PROXY: proxy.url })).toContain("octocat");
    expect(proxy.asked).toContain(place.origin + path);
    expect(proxy.asked).toEqual(place.asked.map(({ url }) => place.origin + url));
  });

  it("goes around a proxy where the operator says so", async () => {
    const [proxy, place] = [await startProxy(), await openPlace()];
    const env = { HTTP_PROXY: proxy.url, NO_PROXY: "127.0.0.1" };
    expect(await read(place.origin, env)).toContain("octocat");
    expect(proxy.asked).toEqual([]);
  });

  it("asks a proxy for a tunnel to what is secure", async () => {
    const proxy = await startProxy();
    const text = await read("https://place.example", { HTTPS_PROXY: proxy.url });
    expect(text).toContain("The proxy did not connect to place.example");
    expect(new Set(proxy.asked)).toEqual(new Set(["place.example:443"]));
  });
});
