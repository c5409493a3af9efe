import { parse } from "node:path";
import process from "node:process";
import { afterEach, describe, expect, it } from "vitest";
import { spawnServer } from "../../src/client.ts";
import { ChildTransport, type ChildOptions } from "../../src/transport/child.ts";
import { needs } from "../../src/testing.ts";

/** Runs a script in a child; the first thing it says tells that it is ready. */
async function start(script: string, options: ChildOptions = {}): Promise<Started> {
  const transport = new ChildTransport(process.execPath, { ...options, args: ["-e", script] });
  started.push(transport);
  const heard: unknown[] = [];
  let settle: () => void = () => undefined;
  const ready = new Promise<void>((resolve) => (settle = resolve));
  const closed = new Promise<void>((resolve) => {
    transport.start({
      message: (value) => (heard.push(value), settle()),
      unreadable: (error) => (heard.push(error), settle()),
      closed: () => (settle(), resolve()),
    });
  });
  await ready;
  return { transport, heard, closed };
}

interface Started {
  readonly transport: ChildTransport;
  readonly heard: unknown[];
  readonly closed: Promise<void>;
}

const started: ChildTransport[] = [];

afterEach(async () => {
  await Promise.all(started.splice(0).map((transport) => transport.close()));
});

function isAlive(pid: number | undefined): boolean {
  try {
    return pid !== undefined && process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** Windows knows no signals: what is told to end is ended at once. */
const HEARS_SIGNALS = process.platform !== "win32";

const READY = 'process.stdout.write("1\\n");';
const ON_TERM =
  'process.on("SIGTERM", () => { process.stdout.write(\'"SIGTERM"\\n\', () => process.exit()); });';
const STAY = "setInterval(() => {}, 1000);";

describe("closing a child", () => {
  it("that leaves when its input ends takes no signal", async () => {
    const { transport, heard, closed } = await start(`${ON_TERM} ${READY} process.stdin.resume();`);
    await transport.close();
    await closed;
    expect(heard).toEqual([1]);
    expect(isAlive(transport.pid)).toBe(false);
  });

  it("that ignores the end of its input gets SIGTERM", async () => {
    const { transport, heard, closed } = await start(`${ON_TERM} ${STAY} ${READY}`);
    await transport.close();
    await closed;
    expect(heard).toEqual(HEARS_SIGNALS ? [1, "SIGTERM"] : [1]);
    expect(isAlive(transport.pid)).toBe(false);
  });

  it("that ignores SIGTERM as well gets SIGKILL", async () => {
    const ignore = 'process.on("SIGTERM", () => process.stdout.write(\'"ignored"\\n\'));';
    const { transport, heard } = await start(`${ignore} ${STAY} ${READY}`);
    await transport.close();
    expect(heard).toEqual(HEARS_SIGNALS ? [1, "ignored"] : [1]);
    expect(isAlive(transport.pid)).toBe(false);
  });

  it("first lets out what was sent in the same turn", async () => {
    const echo = "process.stdin.pipe(process.stdout);";
    const { transport, heard, closed } = await start(`${READY} ${echo}`);
    transport.send({ jsonrpc: "2.0", method: "last" });
    await transport.close();
    await closed;
    expect(heard).toEqual([1, { jsonrpc: "2.0", method: "last" }]);
  });
});

describe("a child", () => {
  it("has the environment, the directory and the ear for stderr that it was given", async () => {
    let errors = "";
    const say = 'console.error("to stderr"); console.log(JSON.stringify([process.env.WHO, process.cwd()]));';
    const cwd = parse(process.cwd()).root;
    const { heard, closed } = await start(say, {
      env: { WHO: "ada" },
      cwd,
      stderr: (text) => (errors += text),
    });
    await closed;
    expect(heard).toEqual([["ada", cwd]]);
    expect(errors).toBe("to stderr\n");
  });
});

describe("connecting to a server that is none", () => {
  it("rejects for a command that does not exist, and names it", async () => {
    const connecting = spawnServer("/no/such/command", { args: ["--flag"], stderr: "ignore" });
    await expect(connecting).rejects.toThrow(/\/no\/such\/command.*ENOENT/);
  });

  it("rejects for a directory that does not exist", async () => {
    await expect(spawnServer(process.execPath, { cwd: "/no/such/directory" })).rejects.toThrow(/ENOENT/);
  });

  it("rejects for a process that dies at once, and says how it ended", async () => {
    const connecting = spawnServer(process.execPath, { args: ["-e", "process.exit(3)"] });
    await expect(connecting).rejects.toThrow(/closed.*code 3/);
  });

  needs(it, "signals")("rejects for a process that is killed while it is waited for", async () => {
    const script = 'setTimeout(() => process.kill(process.pid, "SIGKILL"), 50);';
    await expect(spawnServer(process.execPath, { args: ["-e", script] })).rejects.toThrow(/closed.*SIGKILL/);
  });

  it("rejects for a process that talks but not this protocol", async () => {
    const script = 'console.log("Welcome!\\n{}\\n[]"); setTimeout(() => {}, 200);';
    await expect(spawnServer(process.execPath, { args: ["-e", script] })).rejects.toThrow(/closed/);
  });
});
