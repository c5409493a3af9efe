import { showDiff } from "./diff.ts";
import { button, continued, facts, h, outside, toText } from "./elements.ts";
import type { Fields, ToolResult } from "./host.ts";
import { showRows } from "./rows.ts";
import { dataOf, type Page, type Shown } from "./view.ts";

/** Fields that are shown in their own way, or say nothing to a person. */
const KNOWN =
  /^(note|untrusted|dry_run|would_change|changed|changed_total|diff|sample|columns|results|request|undo|undone|etag|truncated|elapsed_ms)$/;
/** Arguments that are about the call itself. */
const HIDDEN = /^(id|database|path|dry_?run|if_?match|expected_.*|max_?bytes|repo_?path)$/i;
/** Those that a diff shows. */
const IN_DIFF = /^(edits|content)$/i;
/** Differs between two equal dry runs. */
const VOLATILE = /^(note|elapsed_ms)$/;
const NAMED = 20;

type State = "proposed" | "done" | "cancelled" | "undone";

const LABELS: { readonly [state in State]: readonly [label: string, kind: string] } = {
  proposed: ["Not done yet", "open"],
  done: ["Done", "good"],
  cancelled: ["Cancelled", ""],
  undone: ["Undone", ""],
};

/** A change as its tool reports it, before or after it was made, with all that a person can do about it. */
export function showProposal(shown: Shown, page: Page, parent?: HTMLElement): void {
  const isProposal = shown.result["dry_run"] === true;
  new Proposal(shown, page, parent).show(isProposal ? "proposed" : "done");
}

class Proposal {
  #shown: Shown;
  readonly #page: Page;
  /** Where it is part of something else, which has the heading. */
  readonly #parent: HTMLElement | undefined;

  constructor(shown: Shown, page: Page, parent: HTMLElement | undefined) {
    this.#shown = shown;
    this.#page = page;
    this.#parent = parent;
  }

  show(state: State): void {
    const { input, result } = this.#shown;
    const names = listOf(result["would_change"] ?? result["changed"]);
    const total = Number(result["changed_total"] ?? names.length);
    const isNothing = total === 0 && state === "proposed";
    const [label, kind] = isNothing ? ["Nothing to do", ""] : LABELS[state];
    const about = isNothing ? "It would change nothing." : ABOUT[state];
    const { diff, undone } = result;
    const isInDiff = typeof diff === "string" && names.every((name) => diff.includes(toText(name)));
    const given = { ...withoutKnown(result), ...input };
    const content = [
      this.#parent && h("p", { class: "about" }, about),
      h(
        "div",
        { class: "actions" },
        h("p", { class: `state ${kind}` }, label),
        ...this.#toActions(state, total),
      ),
      isInDiff ? undefined : toNames(names, total),
      this.#parent ? undefined : toUndone(undone),
      facts(
        Object.entries(given).filter(
          ([name]) => !HIDDEN.test(name) && !(diff !== undefined && IN_DIFF.test(name)),
        ),
      ),
      ...toDetails(result),
    ].filter((node) => node !== undefined);
    if (this.#parent) this.#parent.replaceChildren(...content);
    else this.#page.show(this.#title(), about, ...content);
  }

  #title(): string {
    const { tool } = this.#page.host.context.toolInfo ?? {};
    return tool?.title ?? tool?.name ?? "A change";
  }

  #toActions(state: State, total: number): readonly Node[] {
    const undo = undoOf(this.#shown);
    if (state === "cancelled" || state === "undone" || total === 0) return [];
    if (this.#shown.tool === undefined)
      return state === "proposed" ? [h("p", { class: "hint" }, "To have it done, ask the assistant.")] : [];
    if (state === "done") return undo ? [button("Undo", () => this.#undo(undo))] : [];
    const apply = button("Apply", () => this.#page.attempt("Checking …", () => this.#apply()), "primary");
    return [apply, button("Cancel", () => this.#cancel())];
  }

  /** Makes the change if it is still the one that was shown. */
  async #apply(): Promise<void> {
    const { tool = "", input, result } = this.#shown;
    const { host } = this.#page;
    const again = await this.#page.call(tool, { ...withoutDryRun(input), dry_run: true });
    if (toComparable(again) !== toComparable(result)) {
      this.#shown = { tool, input, result: again };
      this.show("proposed");
      this.#page.say("Something has changed since you saw this. Here is what would happen now.", "bad");
      return;
    }
    this.#page.say("Applying …");
    const given = { ...withoutDryRun(input), ...this.#toGuards(input, result) };
    const answer = await host.callTool(tool, given);
    const done = dataOf(answer);
    if (done["dry_run"] === true) throw new Error("It was not applied: the tool made another dry run.");
    this.#shown = { tool, input: given, result: withDiff(done, result) };
    this.show("done");
    this.#page.say("Applied.", "good");
    await host.tell(`The person applied this proposal of ${tool}. Its result:`, answer);
  }

  /** Arguments with which the tool itself refuses a change that is not the one that was shown. */
  #toGuards(input: Fields, result: Fields): Fields {
    const schema = this.#page.host.context.toolInfo?.tool.inputSchema?.["properties"] as Fields | undefined;
    const guards: Fields = {
      if_match: result["etag"],
      expected_rows: result["affected_rows"],
      expected_count: result["count"],
    };
    const isOpen = ([name, value]: [string, unknown]): boolean =>
      value !== undefined && schema?.[name] !== undefined && input[name] === undefined;
    return Object.fromEntries(Object.entries(guards).filter(isOpen));
  }

  #cancel(): void {
    this.show("cancelled");
    void this.#page.attempt("", () =>
      this.#page.host.tell(
        `The person cancelled this proposal of ${this.#shown.tool ?? "a tool"}: nothing was changed.`,
      ),
    );
  }

  #undo({ tool, input }: Undo): Promise<void> {
    return this.#page.attempt("Undoing …", async () => {
      const answer: ToolResult = await this.#page.host.callTool(tool, input);
      dataOf(answer);
      this.show("undone");
      this.#page.say("Undone.", "good");
      await this.#page.host.tell(
        `The person undid the change of ${this.#shown.tool ?? "a tool"}. The result of ${tool}:`,
        answer,
      );
    });
  }
}

const ABOUT: { readonly [state in State]: string } = {
  proposed: "This is what it would change. Nothing has been changed so far.",
  done: "This is what it has changed.",
  cancelled: "This is what it would have changed. Nothing was changed.",
  undone: "This was changed, and then undone.",
};

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? (value as unknown[]) : []);

function toNames(names: readonly unknown[], total: number): HTMLElement | undefined {
  if (names.length === 0) return undefined;
  const list = continued(names, NAMED, h("ul", { class: "names" }), (name) => outside(name, "li"));
  if (total > names.length) list.append(h("p", { class: "hint" }, `and ${total - names.length} more`));
  return list;
}

/** The parts of a result that are shown in their own way. */
function toDetails(result: Fields): readonly (HTMLElement | undefined)[] {
  const { diff, sample, columns, results, request, note } = result;
  // The heading says that.
  const words = typeof note === "string" ? note.replace(/^Dry run: nothing was changed\. ?/, "") : "";
  return [
    typeof diff === "string" ? showDiff(diff) : undefined,
    // An import says the columns for itself.
    toSample(Array.isArray(sample) ? { columns, rows: sample as unknown[] } : sample),
    ...listOf(results).map((one) => toPart(one as Fields)),
    request === undefined ? undefined : toRequest(request as Fields),
    words === "" ? undefined : h("p", { class: "hint" }, words),
  ];
}

/** The rest: names and values. */
const withoutKnown = (result: Fields): Fields =>
  Object.fromEntries(Object.entries(result).filter(([name]) => !KNOWN.test(name)));

const toSample = (sample: unknown): HTMLElement | undefined =>
  sample === undefined ? undefined : showRows(sample as Fields);

function toUndone(undone: unknown): HTMLElement | undefined {
  const { tool, summary } = (undone ?? {}) as Fields;
  return facts([["undoes", tool && `${toText(tool)}: ${toText(summary)}`]]);
}

/** What one of several statements does, or what happens to one of several tables. */
const toPart = ({ verb, table, sample, ...rest }: Fields): HTMLElement =>
  h(
    "section",
    { class: "part" },
    h("h2", {}, outside(verb ?? table)),
    facts(Object.entries(rest)),
    toSample(sample),
  );

function toRequest({ method, path, body }: Fields): HTMLElement {
  const line = h("p", {}, h("strong", {}, toText(method)), " ", outside(path, "code"));
  const sent = body === undefined ? undefined : outside(JSON.stringify(body, undefined, 2), "pre");
  return h("section", { "aria-label": "The request to GitHub" }, line, sent);
}

/** Whatever its spelling. */
const withoutDryRun = (input: Fields): Fields =>
  Object.fromEntries(Object.entries(input).filter(([name]) => !/^dry_?run$/i.test(name)));

const toComparable = (result: Fields): string =>
  JSON.stringify(Object.entries(result).filter(([name]) => !VOLATILE.test(name)));

/** Some tools show the difference only beforehand. */
const withDiff = (done: Fields, { diff, sample, results }: Fields): Fields => ({
  ...(diff !== undefined && { diff }),
  ...(sample !== undefined && { sample }),
  ...(results !== undefined && { results }),
  ...done,
});

interface Undo {
  readonly tool: string;
  readonly input: Fields;
}

/** How the servers take back a change that gave an id. */
function undoOf({ tool, input, result }: Shown): Undo | undefined {
  const { undo: id } = result;
  if (id === undefined) return undefined;
  const { repo_path: path, database } = input;
  const where = {
    ...(path !== undefined && { repo_path: path }),
    ...(database !== undefined && { database }),
  };
  return { tool: tool?.startsWith("git_") ? "git_undo" : "undo", input: { id, ...where } };
}
