import { listTools } from "@suite/check/wires";
import { expect, it } from "vitest";

import { callFetch, openFetch, reaching } from "../fetch/program.ts";
import { openWeb } from "../fetch/web.ts";
import { openResolver } from "./resolver.ts";

const REFUSED = [
  "http://127.0.0.1/",
  "http://127.0.0.1./",
  "http://127.1:8080/",
  "http://2130706433/",
  "http://0x7f000001/",
  "http://0177.0.0.1/",
  "http://１２７.0.0.1/",
  "http://localhost/",
  "http://localhost./",
  "http://x.localhost/",
  "http://0.0.0.0/",
  "http://10.1.2.3/",
  "http://100.64.0.1/",
  "http://100.100.100.200/latest/meta-data/",
  "http://168.63.129.16/",
  "http://169.254.169.254/latest/meta-data/",
  "http://172.16.0.1/",
  "http://192.0.0.192/",
  "http://192.168.0.1/",
  "http://[::1]/",
  "http://[::7f00:1]/",
  "http://[::ffff:127.0.0.1]/",
  "http://[64:ff9b::7f00:1]/",
  "http://[64:ff9b:1::1]/",
  "http://[2002:7f00:1::]/",
  "http://[fec0::1]/",
  "http://[fd00:ec2::254]/",
  "http://[fe80::1]/",
];
const OTHERS = [
  "file:///etc/passwd",
  "ftp://example.com/",
  "gopher://example.com/",
  "data:text/html,x",
  "javascript:1",
  "http://u:p@example.com/",
];

const tools = (url: string): readonly (readonly [string, Record<string, unknown>])[] => [
  ["fetch", { url }],
  ["fetch", { url, method: "HEAD" }],
  ["search_page", { url, query: "x" }],
  ["check_links", { url }],
  ["read_feed", { url }],
  ["read_sitemap", { url }],
];

it("no tool, resource or prompt reaches what is not public", async () => {
  const wire = await openFetch([]);
  for (const url of [...REFUSED, ...OTHERS]) {
    const { isError, error, text } = await callFetch(wire, "fetch", { url });
    expect
      .soft([isError, error.code], `${url}: ${text}`)
      .toEqual([true, REFUSED.includes(url) ? "permission_denied" : "invalid_input"]);
  }
  const url = "http://169.254.169.254/latest/meta-data/";
  for (const [name, args] of tools(url)) {
    expect.soft((await callFetch(wire, name, args)).error.code, name).toBe("permission_denied");
  }
  const many = await callFetch(wire, "fetch_many", { urls: [url] });
  expect(many.structured).toMatchObject({ failed: 1, pages: [{ error: { code: "permission_denied" } }] });
  const read = await wire.request("resources/read", { uri: `fetch://url/${url}` });
  expect(read.error?.message).toContain("not on the public internet");
  const prompt = await wire.request("prompts/get", { name: "fetch", arguments: { url } });
  expect(prompt.error?.message).toContain("not on the public internet");
});

it("redirects, links and robots.txt do not lead there either", async () => {
  const inside = await openWeb({ "/secret": { body: "inside" }, "/robots.txt": { body: "" } });
  const web = await openWeb({
    "/to-inside": { status: 302, headers: { location: `${inside.origin}/secret` } },
    "/to-metadata": { status: 307, headers: { location: "http://169.254.169.254/" } },
    "/to-file": { status: 302, headers: { location: "file:///etc/passwd" } },
    "/twice": { status: 302, headers: { location: "/to-inside" } },
    "/round": { status: 302, headers: { location: "/about" } },
    "/about": { status: 302, headers: { location: "/round" } },
  });
  const rerouted = await openWeb({
    "/": { body: "x" },
    "/robots.txt": { status: 302, headers: { location: `${inside.origin}/secret` } },
  });
  const wire = await openFetch(reaching(web, rerouted));
  for (const [path, code] of [
    ["/to-inside", "permission_denied"],
    ["/to-metadata", "permission_denied"],
    ["/to-file", "invalid_input"],
    ["/twice", "permission_denied"],
    ["/round", "unavailable"],
  ]) {
    expect.soft((await callFetch(wire, "fetch", { url: web.origin + path })).error.code, path).toBe(code);
  }
  expect((await callFetch(wire, "fetch", { url: `${rerouted.origin}/` })).error.code).toBe(
    "permission_denied",
  );
  expect(inside.asked).toEqual([]);
  expect(rerouted.count("/")).toBe(0);
});

it("names that lead there are refused, and where one leads is asked only once", async () => {
  const web = await openWeb({ "/": { body: "reached" } });
  const port = web.host.split(":")[1];
  const resolver = await openResolver((name, round) => {
    if (name === "allowed.test") return ["127.0.0.1"];
    if (name === "mixed.test") return ["93.184.216.34", "127.0.0.1"];
    if (name === "rebinding.test") return [round === 1 ? "127.0.0.1" : "127.0.0.2"];
    if (name === "metadata.test") return ["169.254.169.254"];
    return [];
  });
  const allowed = `allowed.test:${port},rebinding.test:${port},metadata.test:${port}`;
  const wire = await openFetch([
    "--dns-servers",
    resolver.address,
    "--allow-private-hosts",
    allowed,
    "--ignore-robots-txt",
  ]);
  for (const name of ["allowed.test", "rebinding.test"]) {
    const { structured } = await callFetch(wire, "fetch", { url: `http://${name}:${port}/` });
    expect(structured["text"]).toBe("reached");
    // What was checked is what is connected to.
    expect(resolver.asked.filter((asked) => asked === name)).toHaveLength(1);
  }
  // Named by the operator, it may be private; but never where a cloud keeps its keys.
  expect((await callFetch(wire, "fetch", { url: `http://metadata.test:${port}/` })).error.code).toBe(
    "permission_denied",
  );
  for (const name of ["mixed.test", "plain.test"]) {
    const { error } = await callFetch(wire, "fetch", { url: `http://${name}:${port}/` });
    expect
      .soft([name, error.code])
      .toEqual([name, name === "mixed.test" ? "permission_denied" : "not_found"]);
  }
  expect(web.count("/")).toBe(2);
  const strict = await openFetch(["--dns-servers", resolver.address, "--ignore-robots-txt"]);
  expect((await callFetch(strict, "fetch", { url: `http://allowed.test:${port}/` })).error.code).toBe(
    "permission_denied",
  );
  expect(web.count("/")).toBe(2);
  expect(resolver.asked.filter((name) => name === "allowed.test")).toHaveLength(2);
});

it("only the operator decides about hosts", async () => {
  const web = await openWeb({ "/": { body: "x" } });
  const wire = await openFetch([
    ...reaching(web),
    "--allow-hosts",
    "example.com,127.0.0.1",
    "--deny-hosts",
    "*.example.com",
  ]);
  expect((await callFetch(wire, "fetch", { url: `${web.origin}/` })).isError).toBe(false);
  for (const url of ["https://example.org/", "https://www.example.com/", "http://127.0.0.1:1/"]) {
    expect.soft((await callFetch(wire, "fetch", { url })).error.code, url).toBe("permission_denied");
  }
  expect(JSON.stringify(await listTools(wire))).not.toMatch(/private/i);
});
