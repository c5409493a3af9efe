import { callTool, type Fields, isGood, isWriter, type ListedTool, textOf } from "@suite/check/wires";
import { resolve } from "node:path";

import { fieldsIn } from "../support/tool-rows.ts";
import type { Wire } from "../support/wire.ts";
import { changesBetween, type DiskSnapshot, lossesBetween, takeSnapshot, withoutInner } from "./snapshot.ts";
import type { FilesystemRow, ProjectScene } from "./tool-row.ts";

/** Who may give a file another mode than the one that was there: what comes brings its own. */
const BRINGS_MODE: ReadonlySet<string> = new Set(["move_file", "copy_file", "undo"]);

interface ObservedCall {
  readonly before: DiskSnapshot;
  readonly after: DiskSnapshot;
  /** What the result lists. */
  readonly changed: readonly string[];
  readonly isDryRun: boolean;
}

/** A tool under observation: everything below `whole` is looked at before and after each call. */
export class Observation {
  /** What is not as the tool declares. */
  readonly complaints: string[] = [];
  readonly #wire: Wire;
  readonly #whole: string;
  readonly #row: FilesystemRow;
  readonly #scene: ProjectScene;

  constructor(wire: Wire, whole: string, row: FilesystemRow, scene: ProjectScene) {
    this.#wire = wire;
    this.#whole = whole;
    this.#row = row;
    this.#scene = scene;
  }

  async run(tool: ListedTool): Promise<readonly string[]> {
    for (const { tool: name, args } of this.#row.before ?? []) {
      await callTool(this.#wire, name, fieldsIn(args, this.#scene));
    }
    if (isWriter(tool)) await this.#observeWriter(tool);
    else this.#require("a reader changes nothing", changesIn(await this.#call()), []);
    return this.complaints;
  }

  async #observeWriter({ name, annotations = {} }: ListedTool): Promise<void> {
    const dry = await this.#call({ dry_run: true });
    this.#require("a dry run changes nothing", changesIn(dry), []);
    const real = await this.#call();
    this.#require("a dry run says what would change", dry.changed, real.changed);
    const paths = changesIn(real);
    const seen = withoutInner(paths, real.changed, real.before, real.after);
    // Some tools show first what they would do, without being told to.
    this.#require("exactly what is listed changes", seen, real.isDryRun ? [] : real.changed.toSorted());
    if (annotations["destructiveHint"] === false) {
      this.#require("nothing is lost", lossesBetween(real.before, real.after), []);
    }
    const otherModes = BRINGS_MODE.has(name) ? [] : paths.filter((path) => !keepsMode(real, path));
    this.#require("modes stay", otherModes, []);
    // What only shows a change has not made it: the next call shows it again.
    if (annotations["idempotentHint"] !== true || real.isDryRun) return;
    const again = await this.#call();
    this.#require("once is enough", changesIn(again), []);
    this.#require("once is enough, and it says so", again.changed, []);
  }

  async #call(more: Fields = {}): Promise<ObservedCall> {
    const before = takeSnapshot(this.#whole);
    const response = await callTool(this.#wire, this.#row.tool, {
      ...fieldsIn(this.#row.args, this.#scene),
      ...more,
    });
    const after = takeSnapshot(this.#whole);
    if (!isGood(response)) this.#complain("fails", textOf(response));
    const structured = (response.result?.["structuredContent"] ?? {}) as Fields;
    const listed = (structured["changed"] ?? structured["would_change"] ?? []) as readonly string[];
    const base = (structured["path"] ?? "") as string;
    return {
      before,
      after,
      changed: listed.map((path) => resolve(base, path)),
      isDryRun: structured["dry_run"] === true,
    };
  }

  #require(rule: string, seen: readonly string[], declared: readonly string[]): void {
    if (seen.join("\0") !== declared.join("\0")) this.#complain(rule, { seen, declared });
  }

  #complain(rule: string, why: unknown): void {
    this.complaints.push(`${this.#row.tool}, ${this.#row.about}: ${rule}: ${JSON.stringify(why)}`);
  }
}

const changesIn = ({ before, after }: ObservedCall): readonly string[] => changesBetween(before, after);

const keepsMode = ({ before, after }: ObservedCall, path: string): boolean =>
  before.get(path)?.kind !== "file" || !after.has(path) || before.get(path)?.mode === after.get(path)?.mode;
