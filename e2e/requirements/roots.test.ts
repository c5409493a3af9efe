import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { callTool, converseWithTool, type Fields, isModern, textOf } from "@suite/check/wires";
import { expect } from "vitest";

import { createPlace } from "../support/place.ts";
import { verify } from "./verify.ts";

const LIST = "roots/list";
const answering = (...uris: readonly string[]) => ({
  [LIST]: (): Fields => ({ roots: uris.map((uri) => ({ uri })) }),
});

verify(
  "roots/capability-checked",
  "asks for roots only where the client has some",
  async ({ open, revision }) => {
    const without = await open({ capabilities: { sampling: {} } });
    const { asked, response } = await converseWithTool(without, "list_roots", answering("file:///a"));
    expect(asked).toEqual([]);
    if (isModern(revision)) expect(response.error?.code).toBe(-32021);
    else expect(response.result).toMatchObject({ isError: true });
    const having = await open({ capabilities: { roots: {} } });
    const heard = await converseWithTool(having, "list_roots", answering("file:///a", "file:///b"));
    expect(heard.asked).toHaveLength(1);
    expect(textOf(heard.response)).toBe("file:///a\nfile:///b");
  },
);

verify(
  "roots/unavailable-handled",
  "answers regularly when roots are missing",
  async ({ open, revision }) => {
    const wire = await open({ capabilities: { roots: {} } });
    const path = "/nowhere/at/all.txt";
    for (const uris of [[], ["file:///nowhere/at"], ["https://example.org/"], ["nonsense"]]) {
      const { response } = await converseWithTool(wire, "read_in_roots", answering(...uris), { path });
      expect(response.result, uris.join()).toMatchObject({ isError: true });
      expect(textOf(response)).toContain("in none of the roots");
    }
    expect(textOf((await converseWithTool(wire, "list_roots", answering())).response)).toBe("no roots");
    if (!isModern(revision)) {
      const failing = {
        [LIST]: (): Fields => {
          throw new Error("no idea");
        },
      };
      const { response } = await converseWithTool(wire, "list_roots", failing);
      expect(response.result).toMatchObject({ isError: true });
      expect(textOf(response)).toContain("no idea");
    }
    expect(textOf(await callTool(wire, "no_arguments"))).toBe("done");
  },
);

verify(
  "roots/changes-handled",
  "sees the new roots after the client said that they changed",
  async ({ open }) => {
    const wire = await open({ capabilities: { roots: { listChanged: true } } });
    const roots = async (...uris: readonly string[]): Promise<string> =>
      textOf((await converseWithTool(wire, "list_roots", answering(...uris))).response);
    expect(await roots("file:///a")).toBe("file:///a");
    wire.notify("notifications/roots/list_changed");
    expect(await roots("file:///b", "file:///c")).toBe("file:///b\nfile:///c");
    wire.notify("notifications/roots/list_changed");
    expect(await roots()).toBe("no roots");
  },
);

verify("roots/boundaries-respected", "reads inside of the roots and nowhere else", async ({ open }) => {
  const home = createPlace();
  const root = join(home, "root");
  await mkdir(root);
  await writeFile(join(root, "in.txt"), "inside");
  await writeFile(join(home, "out.txt"), "outside");
  await mkdir(join(home, "root-2"));
  await writeFile(join(home, "root-2", "out.txt"), "outside");
  await symlink(join(home, "out.txt"), join(root, "link.txt"));
  const wire = await open({ capabilities: { roots: {} } });
  const read = async (path: string): Promise<string> =>
    textOf(
      (await converseWithTool(wire, "read_in_roots", answering(pathToFileURL(root).href), { path })).response,
    );
  expect(await read(join(root, "in.txt"))).toBe("inside");
  const outside = ["../out.txt", "../root-2/out.txt", "link.txt", "../root/../out.txt"].map(
    (path) => `${root}/${path}`,
  );
  for (const path of [...outside, join(home, "out.txt"), "/etc/passwd"]) {
    expect(await read(path), path).toContain("in none of the roots");
  }
});
