import {
  button,
  count,
  type Fields,
  h,
  opener,
  openView,
  outside,
  type Page,
  showDiff,
  type Shown,
  toWords,
} from "@suite/server-kit/view";

import styles from "./commits.css";
import { type Lane, toLanes } from "./lanes.ts";

/** As git_log gives them. */
interface Commit {
  readonly commit: string;
  readonly parents: readonly string[];
  readonly author: string;
  readonly date: string;
  readonly subject: string;
  readonly refs?: readonly string[];
}

const [STEP, ROW, EDGE] = [14, 34, 12];
const COLOURS = ["#4d86e8", "#2f9e62", "#c2620a", "#a44bc7", "#c23a5b", "#0f8f9c"];
const NEXT = 50;
/** More rows are drawn when somebody wants them, and more lanes could not be told apart. */
const [STEP_OF_ROWS, MOST_LANES] = [200, 20];

openView({
  name: "commits",
  styles,
  show(shown, page) {
    void new Commits(shown, page).open();
  },
});

/** Commits below each other, with lines to their parents. */
class Commits {
  readonly #shown: Shown;
  readonly #page: Page;
  #commits: readonly Commit[] = [];
  #rows: readonly HTMLElement[] = [];
  #most = STEP_OF_ROWS;
  #next: unknown;

  constructor(shown: Shown, page: Page) {
    this.#shown = shown;
    this.#page = page;
  }

  async open(): Promise<void> {
    const { input, result } = this.#shown;
    this.#take(result);
    this.#show();
    if (this.#shown.tool === undefined || this.#commits.length === 0) return;
    try {
      this.#connect(await this.#page.call(this.#shown.tool, { ...input, parents: true }));
    } catch (thrown) {
      this.#page.say(toWords(thrown), "bad");
    }
  }

  #take(result: Fields): void {
    this.#commits = [...this.#commits, ...commitsOf(result)];
    this.#next = result["next_skip"];
  }

  /** The model needs no parents but those of merges, lines need all. The rows stay: somebody may be using them. */
  #connect(result: Fields): void {
    const parents = new Map(commitsOf(result).map((commit) => [commit.commit, commit.parents]));
    this.#commits = this.#commits.map((commit) => ({
      ...commit,
      parents: parents.get(commit.commit) ?? commit.parents,
    }));
    this.#drawLines();
  }

  #older(): Promise<void> {
    const input = { ...this.#shown.input, parents: true, max_count: NEXT, skip: this.#next };
    return this.#page.attempt("Loading …", async () => {
      this.#take(await this.#page.call(this.#shown.tool, input));
      this.#most = this.#commits.length;
      this.#show();
    });
  }

  #show(): void {
    const canCall = this.#shown.tool !== undefined;
    const commits = this.#commits.slice(0, this.#most);
    const hidden = this.#commits.length - commits.length;
    const more = (): void => {
      this.#most += STEP_OF_ROWS;
      this.#show();
    };
    if (this.#commits.length === 0) return this.#page.show("No commits match", "");
    this.#rows = commits.map((commit) => this.#toRow(commit));
    this.#drawLines();
    this.#page.show(
      "History",
      `${count(this.#commits.length, "commit")}, newest first.${canCall ? " Press one to see what it changed." : ""}`,
      h("ol", { class: "commits" }, ...this.#rows),
      hidden > 0
        ? button(`Show ${Math.min(STEP_OF_ROWS, hidden)} more of ${hidden}`, more)
        : canCall && this.#next !== undefined && button("Show older", () => this.#older()),
    );
  }

  #drawLines(): void {
    const lanes = toLanes(this.#commits.slice(0, this.#rows.length));
    const width = EDGE + across(Math.max(0, ...lanes.map(({ width: lane }) => lane - 1)));
    for (const [at, row] of this.#rows.entries())
      row.firstElementChild?.replaceWith(toLines(lanes[at], width));
  }

  #toRow(commit: Commit): HTMLElement {
    const { commit: id, author, date, subject, refs = [] } = commit;
    const place = h("div", { class: "inner" });
    const words = [
      h("strong", {}, outside(subject)),
      ...refs.map((ref) => outside(ref, "code")),
      h("small", {}, `${id.slice(0, 8)} · ${date} · `, outside(author)),
    ];
    const row =
      this.#shown.tool === undefined ? h("div") : opener("", place, () => this.#look(commit, place));
    row.className = "commit";
    row.append(...words);
    return h("li", {}, h("div", { class: "lines" }), h("div", {}, row, place));
  }

  /** Opens what a commit changed. */
  #look({ commit: id, author, date }: Commit, place: HTMLElement): Promise<void> {
    const { repo_path: path } = this.#shown.input;
    return this.#page.attempt("Loading …", async () => {
      const input = { revision: id, ...(path !== undefined && { repo_path: path }) };
      const { diff, commit: shown } = await this.#page.call("git_show", input);
      const words = (shown as Fields | undefined)?.["body"];
      place.replaceChildren(
        h("p", { class: "hint narrow" }, `${id} · ${date} · `, outside(author)),
        ...(words === undefined ? [] : [outside(words, "p")]),
        typeof diff === "string" && diff !== ""
          ? showDiff(diff)
          : h("p", { class: "hint" }, "It changes no file."),
      );
    });
  }
}

const commitsOf = (result: Fields): readonly Commit[] =>
  (result["commits"] as readonly (Omit<Commit, "parents"> & Partial<Commit>)[]).map((commit) => ({
    parents: [],
    ...commit,
  }));

const across = (lane: number): number => EDGE + STEP * Math.min(lane, MOST_LANES);
const isDrawn = ([from, to]: readonly [number, number]): boolean => Math.min(from, to) < MOST_LANES;
const colour = (lane: number): string => COLOURS[lane % COLOURS.length] ?? "";

/** The part of the lines beside one commit. They go on beside what is opened below it. */
function toLines(lane: Lane | undefined, width: number): HTMLElement {
  if (!lane) return h("span");
  const middle = ROW / 2;
  const paths = [
    ...lane.above
      .filter(isDrawn)
      .map(
        ([from, to]) =>
          [
            `M${across(from)} 0C${across(from)} ${middle / 2} ${across(to)} ${middle / 2} ${across(to)} ${middle}`,
            from,
          ] as const,
      ),
    ...lane.below
      .filter(isDrawn)
      .map(
        ([from, to]) =>
          [
            `M${across(from)} ${middle}C${across(from)} ${middle * 1.5} ${across(to)} ${middle * 1.5} ${across(to)} ${ROW}`,
            to,
          ] as const,
      ),
  ];
  const head = h(
    "svg",
    { width, height: ROW, viewBox: `0 0 ${width} ${ROW}`, "aria-hidden": "true" },
    ...paths.map(([d, at]) => h("path", { d, fill: "none", stroke: colour(at), "stroke-width": 2 })),
    h("circle", { cx: across(lane.at), cy: middle, r: 4.5, fill: colour(lane.at) }),
  );
  const rest = h(
    "svg",
    {
      class: "rest",
      width,
      height: 1,
      viewBox: `0 0 ${width} 1`,
      preserveAspectRatio: "none",
      "aria-hidden": "true",
    },
    ...lane.below
      .filter(isDrawn)
      .map(([, to]) => h("path", { d: `M${across(to)} 0V1`, stroke: colour(to), "stroke-width": 2 })),
  );
  return h("div", { class: "lines" }, head, rest);
}
