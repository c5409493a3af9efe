import { count, h, isAmount, toAmount, toText } from "@suite/server-kit/view";
import { type ScaleLinear, scaleLinear } from "d3-scale";
import { line } from "d3-shape";

export const KINDS = ["bars", "lines", "points", "none"] as const;
export type Row = readonly unknown[];

/** What is drawn: one column over another. */
export interface Plan {
  readonly kind: (typeof KINDS)[number];
  readonly x: number;
  readonly y: number;
}

interface Point {
  readonly label: string;
  /** If it is a number or a time. */
  readonly x: number | undefined;
  readonly y: number;
}

const [WIDTH, HEIGHT] = [720, 300];
const [LEFT, RIGHT, TOP, BOTTOM] = [64, WIDTH - 12, 12, HEIGHT - 42];
/** More could not be told apart. */
const MOST = { bars: 60, lines: 1000, points: 1000, none: 0 };
/** Letters of a label: a date and time fits. A letter takes about six units. */
const [LEAST, LONGEST, LETTER] = [5, 16, 6];
/** An SVG that is saved must look the same elsewhere, so it names its colours itself. */
const [INK, MARK] = ["#808691", "#4d86e8"];

/** A first guess: the last column of numbers that is no key, over the first other one. Nothing where that makes no picture. */
export function planChart(columns: readonly string[], rows: readonly Row[]): Plan | undefined {
  if (rows.length < 2 || columns.length < 2) return undefined;
  const places = [...columns.keys()];
  const isDrawn = (at: number): boolean =>
    rows.every((row) => row[at] === null || isAmount(row[at])) && rows.some((row) => row[at] !== null);
  const y = places.findLast((at) => isDrawn(at) && !/(^|_)id$/i.test(columns[at] ?? ""));
  if (y === undefined) return undefined;
  const words = places.find((at) => at !== y && !isDrawn(at));
  const x = words ?? places.find((at) => at !== y) ?? 0;
  return { kind: words === undefined ? "points" : rows.length > MOST.bars ? "lines" : "bars", x, y };
}

export function drawChart({ kind, x, y }: Plan, columns: readonly string[], rows: readonly Row[]): Node {
  if (kind === "none") return h("span");
  const drawable = rows.filter((row) => isAmount(row[y]));
  const points = drawable.slice(0, MOST[kind]).map((row) => toPoint(row[x] ?? null, row[y]));
  if (points.length === 0) return h("p", { class: "hint" }, "There is nothing to draw in these rows.");
  const values = points.map((point) => point.y);
  const ends = [Math.min(0, ...values), Math.max(0, ...values)];
  const down = scaleLinear(ends, [BOTTOM, TOP + 8]).nice(5);
  const places = toPlaces(kind, points);
  const [name, over] = [columns[y] ?? "", columns[x] ?? ""];
  const svg = h(
    "svg",
    { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": `${kind}: ${name} by ${over}` },
    ...toGrid(down),
    ...toLabels(points, places),
    ...toMarks(kind, points, places, down),
    toWords(over, RIGHT, HEIGHT - 4, "end"),
    toWords(name, 4, TOP, "start"),
  );
  const left = drawable.length - points.length;
  const rest = `The first ${points.length}: ${count(left, "row")} more would not be told apart.`;
  return h("figure", {}, svg, left > 0 && h("figcaption", { class: "hint" }, rest));
}

const toPoint = (x: unknown, y: unknown): Point => ({
  label: x === null ? "NULL" : toText(x),
  x: isAmount(x) ? toAmount(x) : toTime(x),
  y: toAmount(y),
});

/** Dates and times as SQLite writes them. */
function toTime(cell: unknown): number | undefined {
  if (typeof cell !== "string" || !/^\d{4}-\d\d-\d\d([ T]\d\d:\d\d(:\d\d(\.\d+)?)?Z?)?$/.test(cell))
    return undefined;
  const time = Date.parse(cell.length > 10 ? `${cell.replace(" ", "T").replace(/Z$/, "")}Z` : cell);
  return Number.isNaN(time) ? undefined : time;
}

/** How far to the right the points are: by numbers or times if all have them, or one beside the other. */
function toPlaces(kind: Plan["kind"], points: readonly Point[]): readonly number[] {
  const numbers = points.map(({ x }) => x ?? NaN);
  if (kind === "bars" || numbers.some(Number.isNaN))
    return points.map((_, at) => LEFT + ((RIGHT - LEFT) * (at + 0.5)) / points.length);
  return numbers.map(scaleLinear([Math.min(...numbers), Math.max(...numbers)], [LEFT + 8, RIGHT - 8]));
}

const toWords = (words: string, x: number, y: number, anchor: string, size = 12): Node =>
  h("text", { x, y, fill: INK, "text-anchor": anchor, "font-size": size }, words);

function toGrid(down: ScaleLinear<number, number>): readonly Node[] {
  const format = down.tickFormat(5, "~s");
  return down.ticks(5).flatMap((value) => {
    const y = down(value);
    const strength = { stroke: INK, "stroke-opacity": value === 0 ? 0.8 : 0.25 };
    return [
      h("line", { x1: LEFT, x2: RIGHT, y1: y, y2: y, ...strength }),
      toWords(format(value), LEFT - 8, y + 4, "end"),
    ];
  });
}

/** As many labels as there is room for. */
function toLabels(points: readonly Point[], places: readonly number[]): readonly Node[] {
  const room = Math.floor((WIDTH - LEFT) / points.length / LETTER) - 1;
  const labels = new Set(points.map(({ label }) => label));
  const isClear = new Set([...labels].map((label) => label.slice(0, room))).size === labels.size;
  // Cut dates would look the same: rather fewer of them.
  const longest = isClear && room >= LEAST ? room : LONGEST;
  const sorted = points
    .map(({ label }, at) => ({ label, place: places[at] ?? 0 }))
    .toSorted((a, b) => a.place - b.place);
  let last = -Infinity;
  return sorted.flatMap(({ label, place }) => {
    if (place - last < (Math.min(longest, label.length) + 1) * LETTER) return [];
    last = place;
    const text = label.length > longest ? `${label.slice(0, longest)}…` : label;
    return [toWords(text, place, BOTTOM + 16, "middle", 10)];
  });
}

function toMarks(
  kind: Plan["kind"],
  points: readonly Point[],
  places: readonly number[],
  down: ScaleLinear<number, number>,
): readonly Node[] {
  const width = (0.8 * (RIGHT - LEFT)) / points.length;
  const marks = points.map(({ label, y }, at) => {
    const [cx = 0, cy] = [places[at], down(y)];
    const about = h("title", {}, `${label}: ${y}`);
    if (kind !== "bars") return h("circle", { cx, cy, r: kind === "lines" ? 2.5 : 4, fill: MARK }, about);
    const [top, height] = [Math.min(cy, down(0)), Math.abs(cy - down(0))];
    return h("rect", { x: cx - width / 2, width, y: top, height, fill: MARK, rx: 2 }, about);
  });
  if (kind !== "lines") return marks;
  const ends = points.map(({ y }, at): [number, number] => [places[at] ?? 0, down(y)]);
  const d = line()(ends.toSorted((a, b) => a[0] - b[0])) ?? "";
  return [h("path", { d, fill: "none", stroke: MARK, "stroke-width": 2 }), ...marks];
}
