import {
  button,
  count,
  type Fields,
  h,
  openView,
  outside,
  type Page,
  type Shown,
} from "@suite/server-kit/view";
import { hierarchy, treemap, treemapSquarify } from "d3-hierarchy";

import styles from "./sizes.css";

/** As list_directory_with_sizes gives them. */
interface Entry {
  readonly name: string;
  readonly type: string;
  readonly size?: number;
  readonly is_lower_bound?: true;
}

interface Box {
  readonly name: string;
  readonly size: number;
  /** What opens when it is pressed. */
  readonly entry?: Entry;
}

const [WIDTH, HEIGHT] = [720, 420];
/** Smaller ones become one box: nobody could tell them apart. */
const MOST_BOXES = 60;
const UNITS = ["bytes", "kB", "MB", "GB", "TB"];

openView({
  name: "sizes",
  styles,
  show: (shown, page) => void new Sizes(shown, page).open(shown.input, shown.result, []),
});

class Sizes {
  readonly #tool: string | undefined;
  readonly #page: Page;

  constructor({ tool }: Shown, page: Page) {
    this.#tool = tool;
    this.#page = page;
  }

  /** `above` are the directories that led here, outermost first. */
  async open(input: Fields, result: Fields, above: readonly Fields[]): Promise<void> {
    this.#show(result, above);
    if (this.#tool !== undefined && input["recursive"] !== true)
      await this.#load({ path: result["path"] }, above);
  }

  #load(input: Fields, above: readonly Fields[]): Promise<void> {
    return this.#page.attempt("Measuring …", async () => {
      const given = { ...input, recursive: true, sort: "size", limit: 500 };
      this.#show(await this.#page.call(this.#tool, given), above);
    });
  }

  #show(result: Fields, above: readonly Fields[]): void {
    const entries = (result["entries"] as readonly Entry[]).filter(({ size = 0 }) => size > 0);
    const total = Number(result["total_size"]);
    const path = String(result["path"]);
    const inside = (name: string): string => `${path}${path.includes("\\") ? "\\" : "/"}${name}`;
    const open = ({ name }: Entry): void => void this.#load({ path: inside(name) }, [...above, result]);
    const boxes = toBoxes(entries, total);
    const canOpen = this.#tool !== undefined && entries.some(({ type }) => type === "directory");
    const size = `${result["is_lower_bound"] === true ? "at least " : ""}${toSize(total)}`;
    const parts = `${count(Number(result["total_files"]), "file")}, ${count(Number(result["total_directories"]), "directory", "directories")}`;
    this.#page.show(
      "Where the space went",
      `${size} in ${parts}.${canOpen ? " Press a directory to open it." : ""}`,
      this.#toPath(above, path),
      boxes.length === 0
        ? h("p", { class: "hint" }, "There is nothing in it that takes space.")
        : this.#toMap(boxes, total, open),
    );
  }

  /** The way back up. */
  #toPath(above: readonly Fields[], path: string): HTMLElement {
    const steps = above.map((result, at) =>
      button(lastOf(String(result["path"])), () => this.#show(result, above.slice(0, at)), "quiet"),
    );
    const here = outside(above.length === 0 ? path : lastOf(path), "strong");
    return h(
      "nav",
      { class: "path", "aria-label": "Directories above" },
      ...steps.flatMap((step) => [step, "/"]),
      here,
    );
  }

  #toMap(boxes: readonly Box[], total: number, open: (entry: Entry) => void): HTMLElement {
    const root = hierarchy<{ readonly children?: readonly Box[]; readonly size?: number }>({
      children: boxes,
    }).sum(({ size = 0 }) => size);
    const { children = [] } = treemap<typeof root.data>()
      .size([WIDTH, HEIGHT])
      .tile(treemapSquarify)
      .padding(2)(root);
    return h(
      "ul",
      { class: "map", "aria-label": "Sizes" },
      ...children.map((node) => {
        const box = node.data as Box;
        const place = [
          `left:${percent(node.x0 / WIDTH)}`,
          `top:${percent(node.y0 / HEIGHT)}`,
          `width:${percent((node.x1 - node.x0) / WIDTH)}`,
          `height:${percent((node.y1 - node.y0) / HEIGHT)}`,
        ].join(";");
        const isOpen = box.entry?.type === "directory" && this.#tool !== undefined;
        const label = `${box.name}, ${toSize(box.size)}, ${percent(box.size / total, 0)}`;
        const inner = h(
          isOpen ? "button" : "div",
          {
            class: `box ${box.entry?.type ?? "rest"}`,
            title: label,
            ...(isOpen && {
              type: "button",
              "aria-label": `Open ${label}`,
              click: () => box.entry && open(box.entry),
            }),
          },
          outside(box.name),
          h("small", {}, toSize(box.size)),
        );
        return h("li", { style: place }, inner);
      }),
    );
  }
}

/** The largest ones, and the rest as one. */
function toBoxes(entries: readonly Entry[], total: number): readonly Box[] {
  const sorted = entries.toSorted((a, b) => (b.size ?? 0) - (a.size ?? 0));
  const shown = sorted
    .slice(0, MOST_BOXES)
    .map((entry) => ({ name: entry.name, size: entry.size ?? 0, entry }));
  const rest = total - shown.reduce((sum, { size }) => sum + size, 0);
  return rest > 0 ? [...shown, { name: "everything else", size: rest }] : shown;
}

const percent = (part: number, digits = 3): string => `${(part * 100).toFixed(digits)}%`;

const lastOf = (path: string): string => path.split(/[\\/]/).findLast((name) => name !== "") ?? path;

function toSize(bytes: number): string {
  const unit = bytes < 1000 ? 0 : Math.min(Math.floor(Math.log10(bytes) / 3), UNITS.length - 1);
  const number = bytes / 1000 ** unit;
  return `${unit === 0 || number >= 100 ? Math.round(number) : number.toFixed(1)} ${UNITS[unit]}`;
}
