import { describe, expect, it } from "vitest";

import { type SelectableTool, type Selection, selectTools } from "../../../src/serving/contract/selection.ts";
import { type ContractSettings, defaultContract } from "../../../src/serving/contract/settings.ts";
import { ExitError } from "../../../src/serving/options/exit.ts";
import { toolThat } from "./sample.ts";

const run = (): { said: string } => ({ said: "" });
const tools = [
  toolThat(run, { name: "read_file", group: "files" }),
  toolThat(run, { name: "write_file", group: "files", effects: "write" }),
  toolThat(run, { name: "delete_file", group: "files", effects: "destructive" }),
  toolThat(run, { name: "hash", group: "sums" }),
  toolThat(run, { name: "undo", effects: "destructive" }),
];

interface Choice {
  readonly readOnly?: boolean;
  readonly only?: string[];
  readonly exclude?: string[];
  readonly origins?: ContractSettings["origins"];
}

const select = ({ readOnly = false, only = [], exclude = [], origins = {} }: Choice) => {
  const settings = { readOnly, tools: only, excludeTools: exclude, origins };
  return toNames(selectTools(tools, settings));
};

const toNames = ({ offered, whyWithheld }: Selection<SelectableTool>) => {
  const reasons = tools.map(({ name }) => [name, whyWithheld(name)] as const);
  return {
    offered: offered.map(({ name }) => name),
    withheld: Object.fromEntries(reasons.filter(([, reason]) => reason !== undefined)),
  };
};

const READ_ONLY = " (this server was started with --read-only)";
const NOT_NAMED = " (this server was started with --tools and without it)";
const EXCLUDED = " (this server was started with --exclude-tools)";

describe("what is offered", () => {
  it("is what --tools names, by name or group, in the order of the server", () => {
    expect(select({ only: ["undo", "sums", "read_file"] })).toEqual({
      offered: ["read_file", "hash", "undo"],
      withheld: { write_file: NOT_NAMED, delete_file: NOT_NAMED },
    });
  });

  it("is what the server itself finds of use", () => {
    const settings = { ...defaultContract, readOnly: true };
    const lacks = new Map([["files", "there is no folder"]]);
    const selection = selectTools(tools, settings, ({ group = "" }) => lacks.get(group));
    const changing = { write_file: READ_ONLY, delete_file: READ_ONLY, undo: READ_ONLY };
    const offered = ["hash"];
    expect(toNames(selection)).toEqual({
      offered,
      withheld: { read_file: " (there is no folder)", ...changing },
    });
    // It may take a tool back later, and say why.
    lacks.set("sums", "there is no file");
    expect(toNames(selection)).toMatchObject({ offered, withheld: { hash: " (there is no file)" } });
  });

  it("is what all of them together allow", () => {
    expect(select({ readOnly: true, only: ["files", "undo"], exclude: ["read_file"] })).toEqual({
      offered: [],
      withheld: {
        read_file: EXCLUDED,
        write_file: READ_ONLY,
        delete_file: READ_ONLY,
        hash: NOT_NAMED,
        undo: READ_ONLY,
      },
    });
  });
});

describe("names that stand for nothing", () => {
  it("end the program, all at once, with what may have been meant", () => {
    const misspelt = (): unknown => select({ only: ["read_fle", "files"], exclude: ["sum", "zebra"] });
    expect(misspelt).toThrow(ExitError);
    expect(misspelt).toThrow(
      expect.objectContaining({
        exitCode: 78,
        message: [
          'there is no tool or group "read_fle" (did you mean read_file?)',
          'there is no tool or group "sum" (did you mean sums?)',
          'there is no tool or group "zebra"',
        ].join("\n"),
        hint: "Choose from: read_file, files, write_file, delete_file, hash, sums, undo.",
      }),
    );
  });

  it("are found even where --read-only would hide them anyway", () => {
    expect(() => select({ readOnly: true, only: ["writefile2"] })).toThrow("did you mean write_file?");
    expect(select({ readOnly: true, only: ["write_file"] }).offered).toEqual([]);
  });
});
