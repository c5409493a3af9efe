type Child = Node | string | number | false | undefined;

interface Attributes {
  readonly [name: string]: string | number | boolean | ((event: Event) => void) | undefined;
}

const SVG = "http://www.w3.org/2000/svg";
const OF_SVG: ReadonlySet<string> = new Set(["svg", "g", "path", "line", "rect", "circle", "text", "title"]);

/** An element. Strings become text, never markup, and functions listen to the event that they are named after. */
export function h(tag: string, attributes: Attributes = {}, ...children: readonly Child[]): HTMLElement {
  const isSvg = OF_SVG.has(tag);
  const element = (isSvg ? document.createElementNS(SVG, tag) : document.createElement(tag)) as HTMLElement;
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name, value);
    else if (value !== undefined && value !== false)
      element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(...children.filter((child) => child !== false && child !== undefined).map(toNode));
  return element;
}

const toNode = (child: Node | string | number | false | undefined): Node | string =>
  child instanceof Node ? child : String(child);

/** Text from outside: its direction does not reach beyond it. */
export const outside = (text: unknown, tag = "bdi"): HTMLElement =>
  h(tag, { class: "outside" }, toText(text));

/** Around values that JSON would change, or that are cut. */
const WRAPPED = /^\$(int|real|escaped|text|blob)$/;

/** A value as people read it. */
export function toText(value: unknown): string {
  if (typeof value === "string") return value;
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (Array.isArray(value)) return value.map(toText).join(typeof value[0] === "number" ? ", " : "\n");
  if (typeof value !== "object" || value === null) return value === undefined ? "" : JSON.stringify(value);
  return Object.entries(value)
    .map(([name, item]) =>
      WRAPPED.test(name) ? toText(item) : `${name}: ${toText(item).replaceAll("\n", ", ")}`,
    )
    .join(", ");
}

export const button = (label: Child, press: () => unknown, kind = ""): HTMLButtonElement =>
  h("button", { type: "button", class: kind, click: () => void press() }, label) as HTMLButtonElement;

/** Names and values, one below the other; those without a value are left out. */
export function facts(values: readonly (readonly [string, unknown])[]): HTMLElement | undefined {
  const given = values.filter(([, value]) => value !== undefined && toText(value) !== "");
  if (given.length === 0) return undefined;
  return h(
    "dl",
    {},
    ...given.flatMap(([name, value]) => [h("dt", {}, name.replaceAll("_", " ")), outside(value, "dd")]),
  );
}

/** A button that opens what is below it, and closes it again. */
export function opener(
  label: Child,
  place: HTMLElement,
  open: () => Promise<void>,
  kind = "quiet",
): HTMLButtonElement {
  const press = async (): Promise<void> => {
    if (place.hasChildNodes()) place.replaceChildren();
    else await open();
    opens.setAttribute("aria-expanded", String(place.hasChildNodes()));
  };
  const opens = button(label, press, kind);
  opens.setAttribute("aria-expanded", "false");
  return opens;
}

let cards = 0;

/** One thing of a list: its heading, what can be done with it, how it stands, and more about it. */
export function card(
  heading: readonly Child[],
  { state, kind = "", action }: { state?: unknown; kind?: "" | "good" | "bad"; action?: Child },
  ...content: readonly Child[]
): HTMLElement {
  const id = `card-${cards++}`;
  const title = h("h2", { id }, ...heading);
  if (action instanceof HTMLElement) {
    // The same button is in every card: for a screen reader its name says which card it is about.
    action.id = `${id}-action`;
    action.setAttribute("aria-labelledby", `${action.id} ${id}`);
  }
  const how = state !== undefined && h("p", { class: `state ${kind}` }, outside(state));
  return h("li", {}, h("div", { class: "bar" }, title, action), how, ...content);
}

/** The parts of a page, of which one is shown. */
export const parts = (
  names: readonly string[],
  shown: string,
  open: (name: string) => unknown,
): HTMLElement =>
  h(
    "nav",
    { class: "actions", "aria-label": "Parts" },
    ...names.map((name) => {
      const part = button(name, () => open(name));
      if (name === shown) part.setAttribute("aria-current", "page");
      return part;
    }),
  );

/**
 * A list of any length: the first ones, and a button for more. A page of a hundred thousand elements would stand still.
 */
export function continued<T>(
  items: readonly T[],
  step: number,
  parent: HTMLElement,
  show: (item: T, at: number) => Node,
  frame: HTMLElement = parent,
): HTMLElement {
  const more = button("", () => grow(), "quiet");
  const box = h("div", { class: "continued" }, frame, more);
  let shown = 0;
  function grow(): void {
    const next = items.slice(shown, shown + step);
    parent.append(...next.map((item, at) => show(item, shown + at)));
    shown += next.length;
    const left = items.length - shown;
    more.textContent = `Show ${Math.min(step, left).toLocaleString("en")} more of ${left.toLocaleString("en")}`;
    if (left === 0) more.remove();
  }
  grow();
  return box;
}

export const count = (number: number, one: string, many = `${one}s`): string =>
  `${number.toLocaleString("en")} ${number === 1 ? one : many}`;
