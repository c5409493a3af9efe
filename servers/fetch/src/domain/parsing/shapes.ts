import { type Color, measure, SCREEN, split, toCall, toShare, toStops } from "./values.ts";

/** What a `clip-path` or a mask leaves of an element, as far as that can be told. */
export type Left = "something" | "nothing" | "unknown";

const TINY = 1;

/** What is left by `clip-path`. */
export function findShape(value: string | undefined, em: number, width: number, height: number): Left {
  const shape = split(value ?? "none").find((part) => part.includes("("));
  const call = shape === undefined ? undefined : toCall(shape);
  if (!call) return "something";
  const [name, given] = call;
  const parts = given.flatMap((each) => split(each));
  const basis = {
    x: Number.isNaN(width) ? SCREEN.width : width,
    y: Number.isNaN(height) ? SCREEN.height : height,
  };
  const at = parts.findIndex((part) => part === "at" || part === "round");
  const sizes = at < 0 ? parts : parts.slice(0, at);
  if (name === "inset") {
    const [top = "0", right = top, bottom = top, left = right] = sizes;
    const isEmpty = (one: string, other: string, whole: number): boolean =>
      measure(one, em, whole) + measure(other, em, whole) >= whole - TINY / 2 ||
      toPart(one) + toPart(other) >= 1;
    return isEmpty(top, bottom, basis.y) || isEmpty(left, right, basis.x) ? "nothing" : "something";
  }
  if (name === "circle" || name === "ellipse")
    return sizes.some((radius) => measure(radius, em, basis.x) <= TINY) ? "nothing" : "something";
  if (name === "xywh")
    return sizes.slice(2, 4).some((size) => measure(size, em, basis.x) <= TINY) ? "nothing" : "something";
  if (name === "rect") {
    const [top = 0, right = 0, bottom = 0, left = 0] = sizes.map((edge, index) =>
      measure(edge, em, index % 2 === 0 ? basis.y : basis.x),
    );
    return right - left <= TINY || bottom - top <= TINY ? "nothing" : "something";
  }
  if (name === "polygon") return isFlat(given, em, basis) ? "nothing" : "something";
  if (name === "path")
    return /[lhvcsqta]/i.test(given.join(" ").replaceAll(/["']/g, "")) ? "something" : "nothing";
  return "unknown";
}

const toPart = (value: string): number => (value.endsWith("%") ? toShare(value) : 0);

/** Whether a polygon has no area. */
function isFlat(
  given: readonly string[],
  em: number,
  basis: { readonly x: number; readonly y: number },
): boolean {
  const numbers = given.filter((part) => /^[-+.\d]|\(/.test(part));
  const points = numbers.flatMap((x, index) =>
    index % 2 === 0 ? [[measure(x, em, basis.x), measure(numbers[index + 1], em, basis.y)] as const] : [],
  );
  const area = points.reduce((sum, [x, y], index) => {
    const [nextX, nextY] = points[(index + 1) % points.length] ?? [x, y];
    return sum + x * nextY - nextX * y;
  }, 0);
  return Math.abs(area) / 2 <= TINY;
}

/** What is left by masks. */
export function findMask(get: (name: string) => string | undefined, color: Color): Left {
  const image = get("mask-image") ?? "none";
  if (/^none$/i.test(image)) return "something";
  const images = split(image, ",/").filter((part) => /^[\w-]+\(/.test(part));
  const stops = toStops(images.join(","), color, false);
  if (stops === undefined) return "unknown";
  return stops.every((stop) => stop[3] < 0.05) || isNowhere(get("mask-size") ?? image)
    ? "nothing"
    : "something";
}

const isNowhere = (size: string): boolean => /(?:^|\/\s*)0(?:px|%)?(?:\s|$)/.test(size);
