import { button, continued, h, outside } from "./elements.ts";

/** A line of a unified diff, or the name of a file or place in it. */
interface Line {
  readonly kind: "file" | "fact" | "place" | "same" | "removed" | "added";
  readonly text: string;
  readonly old?: number;
  readonly now?: number;
}

/** Removed beside added, as far as they follow each other. */
interface Pair {
  readonly left: Line | undefined;
  readonly right: Line | undefined;
}

const STEP = 400;
const KINDS: { readonly [sign: string]: Line["kind"] } = { " ": "same", "-": "removed", "+": "added" };
const SIGNS: { readonly [kind in Line["kind"]]?: string } = { removed: "−", added: "+" };

/** A unified diff, which a person may see side by side. */
export function showDiff(diff: string): HTMLElement {
  const lines = parseDiff(diff);
  const pairs = toPairs(lines);
  const added = lines.filter(({ kind }) => kind === "added").length;
  const removed = lines.filter(({ kind }) => kind === "removed").length;
  const box = h("section", { class: "diff", "aria-label": "Changes, line by line" });
  const draw = (isSplit: boolean): void => {
    const rows = h("tbody");
    const table = h("table", { class: isSplit ? "split" : "unified" }, rows);
    const body = isSplit
      ? continued(pairs, STEP, rows, toSplitRow, table)
      : continued(toUnified(pairs), STEP, rows, toUnifiedRow, table);
    const other = button(isSplit ? "One below the other" : "Side by side", () => draw(!isSplit), "quiet");
    const sums = h("span", {}, h("ins", {}, `+${added}`), " ", h("del", {}, `−${removed}`));
    box.replaceChildren(h("div", { class: "bar" }, sums, other), h("div", { class: "scroll" }, body));
  };
  draw(false);
  return box;
}

/** Takes headers only between hunks: inside, a removed line may look like one. */
function parseDiff(diff: string): readonly Line[] {
  const lines: Line[] = [];
  let [old, now, oldLeft, nowLeft] = [0, 0, 0, 0];
  for (const text of diff.replace(/\n$/, "").split("\n")) {
    const place = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/.exec(text);
    const kind = KINDS[text[0] ?? " "];
    if ((oldLeft > 0 || nowLeft > 0) && kind !== undefined) {
      const [isOld, isNow] = [kind !== "added", kind !== "removed"];
      lines.push({ kind, text: text.slice(1), ...(isOld && { old: old++ }), ...(isNow && { now: now++ }) });
      if (isOld) oldLeft--;
      if (isNow) nowLeft--;
    } else if (place) {
      [old, oldLeft, now, nowLeft] = [place[1], place[2] ?? 1, place[3], place[4] ?? 1].map(Number) as [
        number,
        number,
        number,
        number,
      ];
      lines.push({ kind: "place", text });
    } else if (text.startsWith("+++ ") || text.startsWith("--- ")) {
      const name = text.slice(4).replace(/^[ab]\//, "");
      const before = lines.at(-1);
      // The old name comes first, and stays if the file is deleted.
      if (text.startsWith("+++ ") && name === "/dev/null") continue;
      const oldName = text.startsWith("+++ ") && before?.kind === "file" ? lines.pop()?.text : name;
      const isSame = oldName === name || oldName === "/dev/null";
      lines.push({ kind: "file", text: isSame ? name : `${oldName} → ${name}` });
    } else if (!/^(?:diff --git|index) /.test(text) && text !== "") {
      lines.push({ kind: "fact", text });
    }
  }
  return lines;
}

function toPairs(lines: readonly Line[]): readonly Pair[] {
  const pairs: Pair[] = [];
  for (let at = 0; at < lines.length;) {
    const removed = takeWhile(lines, at, "removed");
    const added = takeWhile(lines, at + removed.length, "added");
    const length = Math.max(removed.length, added.length);
    for (let place = 0; place < length; place++) pairs.push({ left: removed[place], right: added[place] });
    if (length === 0) pairs.push({ left: lines[at], right: lines[at] });
    at += Math.max(removed.length + added.length, 1);
  }
  return pairs;
}

function takeWhile(lines: readonly Line[], from: number, kind: Line["kind"]): readonly Line[] {
  let end = from;
  while (lines[end]?.kind === kind) end++;
  return lines.slice(from, end);
}

/** What a row shows of a line: the part in which it differs from its counterpart is marked. */
interface Shown {
  readonly line: Line;
  readonly other: Line | undefined;
}

/** All removed lines of a block before all added ones. */
function toUnified(pairs: readonly Pair[]): readonly Shown[] {
  const shown: Shown[] = [];
  let added: Shown[] = [];
  for (const { left, right } of pairs) {
    if (left === right && left) {
      shown.push(...added, { line: left, other: undefined });
      added = [];
      continue;
    }
    if (left) shown.push({ line: left, other: right });
    if (right) added.push({ line: right, other: left });
  }
  return [...shown, ...added];
}

function toUnifiedRow({ line, other }: Shown): Node {
  if (isHeader(line)) return toHeader(line, 4);
  const { kind, old, now } = line;
  const [before, after] = [h("td", { class: "number" }, old ?? ""), h("td", { class: "number" }, now ?? "")];
  const sign = h("td", { class: "sign" }, SIGNS[kind] ?? "");
  return h("tr", { class: kind }, before, after, sign, toCell(line, other));
}

function toSplitRow({ left, right }: Pair): Node {
  if (left && isHeader(left)) return toHeader(left, 4);
  const toHalf = (
    line: Line | undefined,
    other: Line | undefined,
    number: number | undefined,
  ): HTMLElement[] =>
    line
      ? [h("td", { class: `number ${line.kind}` }, number ?? ""), toCell(line, other, line.kind)]
      : [h("td", { class: "none" }), h("td", { class: "none" })];
  const other = left === right ? undefined : right;
  return h("tr", {}, ...toHalf(left, other, left?.old), ...toHalf(right, other && left, right?.now));
}

const isHeader = ({ kind }: Line): boolean => kind === "file" || kind === "fact" || kind === "place";

const toHeader = ({ kind, text }: Line, columns: number): Node =>
  h("tr", { class: kind }, h(kind === "file" ? "th" : "td", { colspan: columns }, outside(text)));

function toCell({ text }: Line, other: Line | undefined, kind = ""): HTMLElement {
  const cell = h("td", { class: `text ${kind}` });
  if (other === undefined) return (cell.append(outside(text)), cell);
  const most = Math.min(text.length, other.text.length);
  let [start, end] = [0, 0];
  while (start < most && text[start] === other.text[start]) start++;
  while (end < most - start && text.at(-1 - end) === other.text.at(-1 - end)) end++;
  const marked = text.slice(start, text.length - end);
  // A line that was replaced altogether needs no mark.
  if (start + end === 0 || marked === "") return (cell.append(outside(text)), cell);
  const line = h(
    "bdi",
    { class: "outside" },
    text.slice(0, start),
    h("mark", {}, marked),
    text.slice(text.length - end),
  );
  return (cell.append(line), cell);
}
