import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

import { faultsIn } from "@suite/check";
import {
  BOTH_ENDS,
  callTool,
  CAPABLE,
  type Fields,
  isModern,
  type Message,
  type Revision,
  REVISIONS,
  textOf,
} from "@suite/check/wires";
import { describe, expect, it } from "vitest";

import { errorOf, listOwnResources } from "../support/calls.ts";
import { createPlace } from "../support/place.ts";
import type { Wire } from "../support/wire.ts";
import { openFiles } from "./program.ts";

/** Three directories with a file each, one of them inside another. */
interface Places {
  readonly project: string;
  readonly inner: string;
  readonly elsewhere: string;
}

function createPlaces(): Places {
  const whole = createPlace();
  const project = join(whole, "project");
  const places = { project, inner: join(project, "inner"), elsewhere: join(whole, "elsewhere") };
  for (const folder of Object.values(places)) {
    mkdirSync(folder);
    writeFileSync(join(folder, "file.txt"), "here\n");
  }
  return places;
}

/** A client whose roots may change as the test goes on. */
class RootedClient {
  readonly wire: Wire;
  asked = 0;
  #roots: readonly string[];

  constructor(wire: Wire, roots: readonly string[]) {
    this.wire = wire;
    this.#roots = roots;
    wire.answer("roots/list", () => {
      this.asked += 1;
      return { roots: this.#roots.map((path) => ({ uri: pathToFileURL(path).href })) };
    });
  }

  change(roots: readonly string[]): void {
    this.#roots = roots;
    this.wire.notify("notifications/roots/list_changed");
  }

  async allowed(): Promise<readonly string[]> {
    const text = textOf(await callTool(this.wire, "list_allowed_directories"));
    return text.split("\n").map((line) => JSON.parse(line) as string);
  }

  async subscribeCode(path: string): Promise<unknown> {
    const { error } = await this.wire.request("resources/subscribe", { uri: pathToFileURL(path).href });
    const data = error?.data as { readonly "dev.suite/error": Fields } | undefined;
    return error ? data?.["dev.suite/error"]["code"] : "subscribed";
  }

  async readCode(path: string): Promise<unknown> {
    return codeOf(await callTool(this.wire, "read_text_file", { path })) ?? "read";
  }
}

const codeOf = (response: Message): unknown => errorOf(response).code;

async function connect(
  args: readonly string[],
  roots: readonly string[],
  revision: Revision,
): Promise<RootedClient> {
  const wire = await openFiles(args, { revision, capabilities: CAPABLE });
  return new RootedClient(wire, roots);
}

/** The oldest and the newest: roots are asked for in the same way in between. */
const LEGACY = REVISIONS.filter((revision) => !isModern(revision)).filter(
  (_, index, { length }) => index === 0 || index === length - 1,
);

describe.each(LEGACY)("roots of a client, in %s", (revision) => {
  it("narrow what the operator allows", async () => {
    const { project, inner, elsewhere } = createPlaces();
    const client = await connect([project], [inner, elsewhere], revision);
    expect(await client.allowed()).toEqual([inner]);
    expect(await client.readCode(join(inner, "file.txt"))).toBe("read");
    expect(await client.readCode(join(project, "file.txt"))).toBe("permission_denied");
    expect(await client.readCode(join(elsewhere, "file.txt"))).toBe("permission_denied");
    const uris = (await listOwnResources(client.wire)).map(({ uri }) => uri);
    expect(uris).toEqual([
      "suite://environment",
      pathToFileURL(inner).href,
      pathToFileURL(join(inner, "file.txt")).href,
    ]);
    // Once is enough for a client that says when they change.
    expect(client.asked).toBe(1);
    expect(faultsIn(client.wire)).toEqual([]);
  });

  it("bound what can be subscribed to, though it was never asked for before", async () => {
    const { project, inner, elsewhere } = createPlaces();
    const narrowed = await connect([project], [inner], revision);
    expect(await narrowed.subscribeCode(join(inner, "file.txt"))).toBe("subscribed");
    expect(await narrowed.subscribeCode(join(inner, "not-yet.txt"))).toBe("subscribed");
    expect(await narrowed.subscribeCode(join(project, "file.txt"))).toBe("permission_denied");
    expect(await narrowed.subscribeCode(join(inner, "..", "file.txt"))).toBe("permission_denied");
    const alone = await connect([], [elsewhere], revision);
    expect(await alone.subscribeCode(join(elsewhere, "file.txt"))).toBe("subscribed");
    expect(await alone.subscribeCode(join(project, "file.txt"))).toBe("permission_denied");
    expect(faultsIn(narrowed.wire)).toEqual([]);
  });

  it("narrow nothing where they hold all of it, or are none", async () => {
    const { project, inner } = createPlaces();
    const wider = await connect([inner], [project], revision);
    expect(await wider.allowed()).toEqual([inner]);
    const rootless = await connect([project], [], revision);
    expect(await rootless.allowed()).toEqual([project]);
  });

  it("that lie elsewhere leave the operator's directories as they are, and it is said", async () => {
    const { project, elsewhere } = createPlaces();
    const client = await connect([project], [elsewhere], revision);
    expect(textOf(await callTool(client.wire, "list_allowed_directories"))).toMatch(
      /^".*project"\nNone of the client's roots \(".*elsewhere"\) lies inside the directories of this server/,
    );
    expect(await client.readCode(join(project, "file.txt"))).toBe("read");
    expect(await client.readCode(join(elsewhere, "file.txt"))).toBe("permission_denied");
    // Once, however many calls there are.
    await expect.poll(() => client.wire.stderr.match(/None of the client's roots/g)).toHaveLength(1);
  });

  it("that cannot be used are named beside those that can", async () => {
    const { project, inner } = createPlaces();
    const wire = await openFiles([project], { revision, capabilities: CAPABLE });
    wire.answer("roots/list", () => ({
      roots: [
        { uri: "https://example.com/" },
        { uri: pathToFileURL(join(inner, "file.txt")).href },
        { uri: "file://server/share" },
        { uri: pathToFileURL(inner).href },
      ],
    }));
    const response = await callTool(wire, "list_allowed_directories");
    const [directory, note] = textOf(response).split("\n");
    expect(directory).toBe(JSON.stringify(inner));
    expect(note).toMatch(
      /^Roots of the client that cannot be used: "https:\/\/example.com\/" \(it is not a file: URI\), ".*file\.txt" \(it is not a directory\), "file:\/\/server\/share" \(.*another machine\)/,
    );
  });

  it("are followed as they change", async () => {
    const { project, inner, elsewhere } = createPlaces();
    const client = await connect([project, elsewhere], [inner], revision);
    expect(await client.allowed()).toEqual([inner]);
    client.change([elsewhere]);
    expect(await client.allowed()).toEqual([elsewhere]);
    expect(await client.readCode(join(inner, "file.txt"))).toBe("permission_denied");
    client.change([project, elsewhere]);
    expect(await client.allowed()).toEqual([project, elsewhere]);
    expect(await client.readCode("inner/file.txt")).toBe("read");
    expect(client.asked).toBe(3);
  });

  it("replace it with --roots replace", async () => {
    const { project, elsewhere } = createPlaces();
    const client = await connect(["--roots", "replace", project], [elsewhere], revision);
    expect(await client.allowed()).toEqual([elsewhere]);
    expect(await client.readCode(join(elsewhere, "file.txt"))).toBe("read");
    expect(await client.readCode(join(project, "file.txt"))).toBe("permission_denied");
  });

  it("do nothing with --roots ignore", async () => {
    const { project, elsewhere } = createPlaces();
    const client = await connect(["--roots=ignore", project], [elsewhere], revision);
    expect(await client.allowed()).toEqual([project]);
    expect(client.asked).toBe(0);
  });

  it("are all there is where the operator named nothing", async () => {
    const { inner, elsewhere } = createPlaces();
    const client = await connect([], [inner], revision);
    expect(await client.allowed()).toEqual([inner]);
    expect(await client.readCode("file.txt")).toBe("read");
    expect(
      codeOf(await callTool(client.wire, "write_file", { path: "new.txt", content: "" })),
    ).toBeUndefined();
    client.change([elsewhere]);
    expect(await client.readCode(join(inner, "file.txt"))).toBe("permission_denied");
    client.change([]);
    expect(await client.readCode(join(inner, "file.txt"))).toBe("unavailable");
  });

  it("may come without directories of this machine, which is said", async () => {
    const wire = await openFiles([], { revision, capabilities: CAPABLE });
    wire.answer("roots/list", () => ({
      roots: [{ uri: "https://example.com/" }, { uri: "file://server/share%2f" }],
    }));
    const response = await callTool(wire, "list_allowed_directories");
    expect(codeOf(response)).toBe("unavailable");
    expect(textOf(response)).toMatch(
      /^No directory is configured\..*"https:\/\/example\.com\/" \(it is not a.*\nStart the server with the directories/,
    );
  });

  it("are refused if they are too many", async () => {
    const { project } = createPlaces();
    const roots = Array.from({ length: 101 }, (_, at) => join(project, String(at)));
    const client = await connect([project], roots, revision);
    const refused = await callTool(client.wire, "list_allowed_directories");
    expect(errorOf(refused)).toMatchObject({ code: "too_large" });
    expect(textOf(refused)).toMatch(/^The client has 101 roots, more than 100\.\n/);
    client.change(roots.slice(1));
    expect(await client.allowed()).toHaveLength(100);
  });

  it("that the client fails to name are no crash", async () => {
    const { project } = createPlaces();
    const wire = await openFiles([project], { revision, capabilities: CAPABLE });
    wire.answer("roots/list", () => {
      throw new Error("not today");
    });
    const response = await callTool(wire, "list_allowed_directories");
    expect(errorOf(response)).toMatchObject({ code: "unavailable", retryable: true });
    expect(textOf(response)).toMatch(/did not answer the request for its roots/);
  });

  it("are watched for changes, too", async () => {
    const { project, elsewhere } = createPlaces();
    const client = await connect(["--roots", "replace", project], [elsewhere], revision);
    expect(await client.allowed()).toEqual([elsewhere]);
    const uri = pathToFileURL(join(elsewhere, "file.txt")).href;
    expect((await client.wire.request("resources/subscribe", { uri })).error).toBeUndefined();
    writeFileSync(join(elsewhere, "file.txt"), "changed\n");
    await client.wire.hear(
      ({ method, params }) => method === "notifications/resources/updated" && params?.["uri"] === uri,
    );
  });
});

describe.each(BOTH_ENDS)("no directory at all, in %s", (revision) => {
  it("is said by every tool, with how to name one", async () => {
    const wire = await openFiles([], { revision });
    const path = "/etc/hostname";
    for (const [tool, args] of Object.entries({
      read_text_file: { path },
      list_directory: { path: "/" },
      list_allowed_directories: {},
      write_file: { path, content: "" },
      undo: {},
    })) {
      const response = await callTool(wire, tool, args);
      expect(errorOf(response), tool).toMatchObject({ code: "unavailable", retryable: false });
      expect(textOf(response)).toMatch(
        /^No directory is configured\..*\nStart the server with the directories .*suite-server-filesystem \//,
      );
    }
    const { error } = await wire.request("resources/read", { uri: "file:///etc/hostname" });
    expect(error?.message).toMatch(/No directory is configured/);
    const completed = await wire.request("completion/complete", {
      ref: { type: "ref/prompt", name: "explain_file" },
      argument: { name: "path", value: "" },
    });
    expect(completed.error?.message).toMatch(/No directory is configured/);
    expect(faultsIn(wire)).toEqual([]);
  });
});
