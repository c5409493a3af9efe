import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { HttpWire } from "@suite/check/wires";
import { openRedisStore } from "@suite/replicas";
import { afterAll, beforeAll, expect, it } from "vitest";

import { HttpProgram } from "../http/http-program.ts";
import { createPlace } from "../support/place.ts";
import { describeWith } from "../support/programs.ts";
import { NOTES } from "../support/servers.ts";
import { startRedis, type RedisServer } from "./redis-server.ts";

/** An authority of our own, and a certificate that it signed. */
function makeCertificates(folder: string): { readonly [file in "ca" | "cert" | "key"]: string } {
  const openssl = (...args: readonly string[]): void =>
    void execFileSync("openssl", args, { cwd: folder, stdio: "pipe" });
  const key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
  openssl("req", "-x509", ...key, "-keyout", "ca.key", "-out", "ca.pem", "-days", "2", "-subj", "/CN=Our CA");
  openssl("req", ...key, "-keyout", "redis.key", "-out", "redis.csr", "-subj", "/CN=redis");
  writeFileSync(join(folder, "names"), "subjectAltName=DNS:localhost\n");
  const signed = ["-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-extfile", "names", "-days", "2"];
  openssl("x509", "-req", "-in", "redis.csr", "-out", "redis.pem", ...signed);
  return {
    ca: join(folder, "ca.pem"),
    cert: join(folder, "redis.pem"),
    key: join(folder, "redis.key"),
  };
}

describeWith(["redis-server", "openssl"], "Redis behind TLS, with a certificate of our own authority", () => {
  let redis: RedisServer;
  let ca = "";

  beforeAll(async () => {
    const files = makeCertificates(createPlace());
    ca = files.ca;
    redis = await startRedis([], files);
  });

  afterAll(() => redis.stop());

  const start = (env: NodeJS.ProcessEnv): Promise<HttpProgram> =>
    HttpProgram.start(["--store", redis.url], NOTES, env);

  it("is shared by replicas that trust it", async () => {
    const trusting = { NODE_EXTRA_CA_CERTS: ca };
    const [one, other] = await Promise.all([start(trusting), start(trusting)]);
    const wire = await HttpWire.open(one.url.href, "2025-11-25");
    const moved = wire.at(other.url.href);
    expect(await moved.request("tools/list")).toMatchObject({ result: { tools: expect.any(Array) } });
    expect(one.complaints + other.complaints).toBe("");
    await Promise.all([one.stop(), other.stop()]);
  });

  it("is a store for whoever gives the client that certificate", async () => {
    const client = { socket: { tls: true, ca: readFileSync(ca) } } as const;
    const store = await openRedisStore({ url: redis.url, prefix: "own:", client });
    expect(await store.set("a", "1", { ttlMs: 60_000 })).toBe(true);
    await store.close();
  });

  it("is not talked to by one that does not", async () => {
    const wary = await start({});
    expect(wary.complaints).toMatch(/the store cannot be reached: .*certificate/);
    const opening = HttpWire.open(wary.url.href, "2025-11-25");
    await expect(opening).rejects.toThrow("cannot be reached right now: try again");
    await wary.stop();
  });
});
