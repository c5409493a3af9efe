import { measure, split, toCall, toDegrees } from "./values.ts";

/** What `transform`, `translate`, `scale`, `rotate` and `zoom` do to an element. */
export interface Transform {
  readonly isUsed: boolean;
  readonly x: number;
  readonly y: number;
  readonly scale: number;
  /** Whether nothing of it can be seen, since it is seen from its edge or from behind. */
  readonly isFlat: boolean;
  readonly isUnknown: boolean;
}

const NOTHING: Transform = { isUsed: false, x: 0, y: 0, scale: 1, isFlat: false, isUnknown: false };
const NAMES = ["transform", "translate", "scale", "rotate", "zoom"];
const EDGE = 0.01;

export function toTransform(
  get: (name: string) => string | undefined,
  em: number,
  width: number,
  height: number,
): Transform {
  if (!NAMES.some((name) => (get(name) ?? "none") !== "none")) return NOTHING;
  let [x, y, scaleX, scaleY, turn] = [0, 0, 1, 1, 0];
  let isUnknown = false;
  const move = (byX: string | undefined, byY: string | undefined): void => {
    // By a share of a size that is not known: nobody moves a short text by ten times its length to show it.
    if ((Number.isNaN(width) && isFarBack(byX)) || (Number.isNaN(height) && isFarBack(byY))) isUnknown = true;
    const [left, top] = [measure(byX, em, orUsual(width)), measure(byY, em, orUsual(height))];
    x += (Number.isNaN(left) ? 0 : left) * scaleX;
    y += (Number.isNaN(top) ? 0 : top) * scaleY;
  };
  const grow = (byX = "1", byY = byX): void => {
    const [horizontal, vertical] = [measure(byX, em, 1), measure(byY, em, 1)];
    scaleX *= Number.isNaN(horizontal) ? 1 : horizontal;
    scaleY *= Number.isNaN(vertical) ? 1 : vertical;
  };
  const rotate = (axis: string, angle: string | undefined): void => {
    const degrees = toDegrees(angle);
    if (axis === "z") return;
    turn += Math.abs(degrees);
    if (Math.abs(Math.cos((degrees * Math.PI) / 180)) < EDGE) scaleX = 0;
  };
  const translate = split(get("translate") ?? "none");
  if (translate[0] !== "none") move(translate[0], translate[1]);
  const rotation = split(get("rotate") ?? "none");
  if (rotation.length > 1) rotate(toAxis(rotation.slice(0, -1)), rotation.at(-1));
  const scale = split(get("scale") ?? "none");
  if (scale[0] !== "none") grow(scale[0], scale[1]);
  for (const part of split(get("transform") ?? "none")) {
    const [name = "", args = []] = toCall(part) ?? [];
    const numbers = args.map((each) => measure(each, em));
    const [a = 1, b = 0, c = 0, d = 1] =
      name === "matrix" ? numbers : [numbers[0], numbers[1], numbers[4], numbers[5]];
    if (/^translate(?:3d)?$/.test(name)) move(args[0], args[1]);
    else if (name === "translatex") move(args[0], "0");
    else if (name === "translatey") move("0", args[0]);
    else if (name === "scale" || name === "scale3d") grow(args[0], args[1]);
    else if (name === "scalex") grow(args[0], "1");
    else if (name === "scaley") grow("1", args[0]);
    else if (name === "rotatex" || name === "rotatey") rotate(name.slice(-1), args[0]);
    else if (name === "rotate3d") rotate(toAxis(args.slice(0, 3)), args[3]);
    else if (name.startsWith("skew")) {
      if (args.some((angle) => Math.abs(Math.cos((toDegrees(angle) * Math.PI) / 180)) < EDGE)) scaleX = 0;
    } else if (name.startsWith("matrix")) {
      x += (name === "matrix" ? numbers[4] : numbers[12]) ?? 0;
      y += (name === "matrix" ? numbers[5] : numbers[13]) ?? 0;
      scaleX *= Math.sqrt(Math.abs(a * d - b * c));
      scaleY *= Math.sqrt(Math.abs(a * d - b * c));
    }
  }
  const zoom = measure(get("zoom"), em);
  if (zoom > 0) grow(`${zoom}`);
  const isBehind = turn % 360 > 90 && turn % 360 < 270 && /^hidden$/i.test(get("backface-visibility") ?? "");
  const least = Math.min(Math.abs(scaleX), Math.abs(scaleY));
  return { isUsed: true, x, y, scale: least, isFlat: isBehind || least < EDGE, isUnknown };
}

const USUAL_SIZE = 100;
const orUsual = (size: number): number => (Number.isNaN(size) ? USUAL_SIZE : size);
const isFarBack = (by = "0"): boolean => /^-\s*(?:[1-9]\d{2,}|9\d)(?:\.\d+)?%/.test(by);

/** The axis of a rotation in space: `x`, `y`, or `z` for one in the plane. */
function toAxis(parts: readonly string[]): string {
  if (parts.length === 1) return parts[0]?.toLowerCase() ?? "z";
  return parts.slice(0, 2).every((part) => measure(part) === 0) ? "z" : "x";
}
