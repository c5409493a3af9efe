import { type Color, measure, SCREEN, split, toCall, toStops } from "./values.ts";

/** What a `clip-path` or a mask leaves of an element, as far as that can be told. */
export type Left = "something" | "nothing" | "unknown";

const TINY = 1;
const PLACES: Readonly<Record<string, string>> = {
  left: "0",
  top: "0",
  center: "50%",
  right: "100%",
  bottom: "100%",
};

/** What is left by `clip-path`. */
export function findShape(value: string | undefined, em: number, width: number, height: number): Left {
  const shape = split(value ?? "none").find((part) => part.includes("("));
  const [name, given] = (shape === undefined ? undefined : toCall(shape)) ?? [];
  if (name === undefined || given === undefined) return "something";
  if (name === "path" || name === "shape") {
    const numbers = Array.from(given.join(" ").matchAll(/-?(?:\d+(?:\.\d+)?|\.\d+)/g), Number);
    return Math.max(...numbers) - Math.min(...numbers) <= TINY ? "nothing" : "something";
  }
  const x = (part: string | undefined): number =>
    measure(part, em, Number.isNaN(width) ? SCREEN.width : width);
  const y = (part: string | undefined): number =>
    measure(part, em, Number.isNaN(height) ? SCREEN.height : height);
  const parts = given.flatMap((each) => split(each));
  const edges = toEdges(name, parts, x, y);
  if (edges === undefined) return "unknown";
  const [left, top, right, bottom] = edges;
  const isFlat = right - left <= TINY || bottom - top <= TINY;
  const isOutside = right <= 0 || bottom <= 0 || left >= width || top >= height;
  return isFlat || isOutside ? "nothing" : "something";
}

type Measure = (part: string | undefined) => number;

/** Left, top, right and bottom of a shape. */
function toEdges(
  name: string,
  parts: readonly string[],
  x: Measure,
  y: Measure,
): readonly [number, number, number, number] | undefined {
  const end = parts.findIndex((part) => part === "at" || part === "round");
  const [first, second, third, fourth] = end < 0 ? parts : parts.slice(0, end);
  if (name === "inset") {
    const right = second ?? first;
    return [x(fourth ?? right), y(first), x("100%") - x(right), y("100%") - y(third ?? first)];
  }
  if (name === "rect") return [x(fourth), y(first), x(second), y(third)];
  if (name === "xywh") return [x(first), y(second), x(first) + x(third), y(second) + y(fourth)];
  if (name === "circle" || name === "ellipse") {
    const [, placeX = "50%", placeY = "50%"] = end < 0 ? [] : parts.slice(end);
    const [centerX, centerY] = [x(PLACES[placeX] ?? placeX), y(PLACES[placeY] ?? placeY)];
    const isClosest = first === "closest-side";
    const radius = isClosest
      ? Math.min(centerX, x("100%") - centerX, centerY, y("100%") - centerY)
      : x(first);
    const other = name === "circle" ? radius : y(second ?? first);
    return [centerX - radius, centerY - other, centerX + radius, centerY + other];
  }
  if (name !== "polygon") return undefined;
  const points = parts
    .filter((part) => /^[-+.\d]|\(/.test(part))
    .map((part, index) => (index % 2 === 0 ? x : y)(part));
  const [allX, allY] = [0, 1].map((axis) => points.filter((_, index) => index % 2 === axis)) as [
    number[],
    number[],
  ];
  const area = allX.reduce((sum, each, at) => {
    const next = (at + 1) % allX.length;
    return sum + each * (allY[next] ?? 0) - (allX[next] ?? 0) * (allY[at] ?? 0);
  }, 0);
  const left = Math.min(...allX);
  return [left, Math.min(...allY), Math.abs(area) / 2 <= TINY ? left : Math.max(...allX), Math.max(...allY)];
}

/** What is left by masks. */
export function findMask(get: (name: string) => string | undefined, color: Color): Left {
  const image = get("mask-image") ?? "none";
  if (/^none$/i.test(image)) return "something";
  const images = split(image, ",/").filter((part) => /^[\w-]+\(/.test(part));
  const stops = toStops(images.join(","), color, false);
  if (stops === undefined || /\bluminance\b/i.test(image)) return "unknown";
  const isNowhere = /(?:^|\/\s*)0(?:px|%)?(?:\s|$)/.test(get("mask-size") ?? image);
  return isNowhere || stops.every((stop) => stop[3] < 0.05) ? "nothing" : "something";
}
