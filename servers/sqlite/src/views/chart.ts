import { count, h, toText } from "@suite/server-kit/view";
import { type ScaleBand, scaleBand, type ScaleLinear, scaleLinear } from "d3-scale";
import { line } from "d3-shape";

/** A value as results have it: numbers past 2^53 are objects. */
export type Cell =
  | null
  | number
  | string
  | { readonly $int?: string; readonly $real?: string; readonly $escaped?: string };
export const KINDS = ["bars", "lines", "points", "none"] as const;

/** What is drawn: one column over another. */
export interface Plan {
  readonly kind: (typeof KINDS)[number];
  readonly x: number;
  readonly y: number;
}

interface Point {
  readonly label: string;
  readonly x: number | undefined;
  readonly y: number;
}

type Axis = ScaleBand<number> | ScaleLinear<number, number>;

const [WIDTH, HEIGHT] = [720, 300];
const EDGES = { top: 12, right: 12, bottom: 42, left: 64 };
/** More could not be told apart. */
const MOST_POINTS = 1000;
const MOST_BARS = 60;
/** Letters of a label: a date and time fits. A letter takes about six units. */
const [LEAST, LONGEST, LETTER] = [5, 16, 6];
/** An SVG that is saved must look the same elsewhere, so it names its colours itself. */
const INK = "#808691";
const MARK = "#4d86e8";

export const isAmount = (cell: Cell): boolean =>
  typeof cell === "number" ||
  (typeof cell === "object" && cell !== null && (cell.$int ?? cell.$real) !== undefined);

export const toAmount = (cell: Cell): number =>
  typeof cell === "object" && cell !== null ? Number(cell.$int ?? cell.$real) : Number(cell);

/** A first guess: the last column of numbers that is no key, over the first other one. Nothing where that makes no picture. */
export function planChart(columns: readonly string[], rows: readonly (readonly Cell[])[]): Plan | undefined {
  if (rows.length < 2 || columns.length < 2) return undefined;
  const amounts = columns.flatMap((name, at) =>
    rows.every((row) => row[at] === null || isAmount(row[at] ?? null)) && rows.some((row) => row[at] !== null)
      ? [{ name, at }]
      : [],
  );
  const y = amounts.findLast(({ name }) => !/(^|_)id$/i.test(name))?.at;
  if (y === undefined) return undefined;
  const isAmountAt = (at: number): boolean => amounts.some((amount) => amount.at === at);
  const words = columns.findIndex((_, at) => at !== y && !isAmountAt(at));
  const x = words === -1 ? columns.findIndex((_, at) => at !== y) : words;
  return { kind: isAmountAt(x) ? "points" : rows.length > MOST_BARS ? "lines" : "bars", x, y };
}

export function drawChart(
  { kind, x, y }: Plan,
  columns: readonly string[],
  rows: readonly (readonly Cell[])[],
): Node {
  const most = kind === "bars" ? MOST_BARS : MOST_POINTS;
  const drawable = rows.filter((row) => isAmount(row[y] ?? null));
  const points = drawable.slice(0, most).map((row): Point => toPoint(row[x] ?? null, row[y] ?? null));
  if (kind === "none") return h("span");
  if (points.length === 0) return h("p", { class: "hint" }, "There is nothing to draw in these rows.");
  const down = scaleLinear()
    .domain([Math.min(0, ...points.map((point) => point.y)), Math.max(0, ...points.map((point) => point.y))])
    .nice()
    .range([HEIGHT - EDGES.bottom, EDGES.top]);
  const isNumeric = kind !== "bars" && points.every((point) => point.x !== undefined);
  const across = isNumeric ? toNumeric(points) : toBands(points);
  const name = `${columns[y] ?? ""} by ${columns[x] ?? ""}`;
  const svg = h(
    "svg",
    { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": `${kind}: ${name}` },
    ...toGrid(down),
    ...toLabels(points, across),
    ...toMarks(kind, points, across, down),
    h("text", { x: WIDTH - EDGES.right, y: HEIGHT - 4, fill: INK, "text-anchor": "end" }, columns[x] ?? ""),
    h("text", { x: 4, y: EDGES.top, fill: INK }, columns[y] ?? ""),
  );
  const left = drawable.length - points.length;
  return h(
    "figure",
    {},
    svg,
    left > 0 &&
      h(
        "figcaption",
        { class: "hint" },
        `The first ${points.length}: ${count(left, "row")} more would not be told apart.`,
      ),
  );
}

const toPoint = (x: Cell, y: Cell): Point => ({
  label: x === null ? "NULL" : toText(x),
  x: isAmount(x) ? toAmount(x) : toTime(x),
  y: toAmount(y),
});

/** Dates and times as SQLite writes them. */
function toTime(cell: Cell): number | undefined {
  if (typeof cell !== "string" || !/^\d{4}-\d\d-\d\d([ T]\d\d:\d\d(:\d\d(\.\d+)?)?Z?)?$/.test(cell))
    return undefined;
  const time = Date.parse(cell.length > 10 ? `${cell.replace(" ", "T").replace(/Z$/, "")}Z` : cell);
  return Number.isNaN(time) ? undefined : time;
}

function toNumeric(points: readonly Point[]): ScaleLinear<number, number> {
  const values = points.map(({ x = 0 }) => x);
  const domain = [Math.min(...values), Math.max(...values)];
  return scaleLinear()
    .domain(domain)
    .range([EDGES.left + 8, WIDTH - EDGES.right - 8]);
}

const toBands = (points: readonly Point[]): ScaleBand<number> =>
  scaleBand<number>()
    .domain(points.keys())
    .range([EDGES.left, WIDTH - EDGES.right])
    .padding(0.2);

const isBands = (axis: Axis): axis is ScaleBand<number> => "bandwidth" in axis;

const placeOf = (axis: Axis, { x = 0 }: Point, at: number): number =>
  isBands(axis) ? (axis(at) ?? 0) + axis.bandwidth() / 2 : axis(x);

function toGrid(down: ScaleLinear<number, number>): readonly Node[] {
  const format = down.tickFormat(5, "~s");
  return down.ticks(5).flatMap((value) => [
    h("line", {
      x1: EDGES.left,
      x2: WIDTH - EDGES.right,
      y1: down(value),
      y2: down(value),
      stroke: INK,
      "stroke-opacity": value === 0 ? 0.8 : 0.25,
    }),
    h("text", { x: EDGES.left - 8, y: down(value) + 4, fill: INK, "text-anchor": "end" }, format(value)),
  ]);
}

function toLabels(points: readonly Point[], across: Axis): readonly Node[] {
  const room = Math.floor((WIDTH - EDGES.left) / points.length / LETTER) - 1;
  const labels = new Set(points.map(({ label }) => label));
  const isClear = new Set([...labels].map((label) => label.slice(0, room))).size === labels.size;
  // Cut dates would look the same: rather fewer of them.
  const longest = isClear && room >= LEAST ? room : LONGEST;
  const sorted = points
    .map((point, at) => ({ ...point, place: placeOf(across, point, at) }))
    .toSorted((a, b) => a.place - b.place);
  let last = -Infinity;
  return sorted.flatMap(({ label, place }) => {
    if (place - last < (Math.min(longest, label.length) + 1) * LETTER) return [];
    last = place;
    const text = label.length > longest ? `${label.slice(0, longest)}…` : label;
    return [
      h(
        "text",
        { x: place, y: HEIGHT - EDGES.bottom + 16, fill: INK, "text-anchor": "middle", "font-size": 10 },
        text,
      ),
    ];
  });
}

function toMarks(
  kind: Plan["kind"],
  points: readonly Point[],
  across: Axis,
  down: ScaleLinear<number, number>,
): readonly Node[] {
  const about = ({ label, y }: Point): Node => h("title", {}, `${label}: ${y}`);
  if (kind === "bars" && isBands(across))
    return points.map((point, at) =>
      h(
        "rect",
        {
          x: across(at) ?? 0,
          width: across.bandwidth(),
          y: Math.min(down(point.y), down(0)),
          height: Math.abs(down(point.y) - down(0)),
          fill: MARK,
          rx: 2,
        },
        about(point),
      ),
    );
  const placed = points.map((point, at): [number, number] => [placeOf(across, point, at), down(point.y)]);
  const sorted = placed.toSorted((a, b) => a[0] - b[0]);
  const path =
    kind === "lines"
      ? [h("path", { d: line()(sorted) ?? "", fill: "none", stroke: MARK, "stroke-width": 2 })]
      : [];
  const dots = points.map((point, at) =>
    h(
      "circle",
      {
        cx: placed[at]?.[0],
        cy: placed[at]?.[1],
        r: kind === "lines" ? 2.5 : 4,
        fill: MARK,
        "fill-opacity": 0.8,
      },
      about(point),
    ),
  );
  return [...path, ...dots];
}
