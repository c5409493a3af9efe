/** For pages that show the results of tools (MCP Apps): the frame, and what all of them need. */
import base from "./base.css";
import { button, h, outside, toText } from "./elements.ts";
import { type Fields, Host, type ToolResult } from "./host.ts";

export { button, card, continued, count, facts, h, opener, outside, parts, toText } from "./elements.ts";
export { showDiff } from "./diff.ts";
export { isAmount, showRows, toAmount } from "./rows.ts";
export type { Fields, Host, ToolResult } from "./host.ts";

/** The call whose result is shown. */
export interface Shown {
  /** The tool's name, if the host says which it was, and lets the page call it again. */
  readonly tool: string | undefined;
  readonly input: Fields;
  readonly result: Fields;
}

export interface ViewConfig {
  readonly name: string;
  readonly styles?: string;
  readonly show: (shown: Shown, page: Page) => void;
}

/** The frame: a heading that says what is shown, the content, and a line that tells what happens. */
export class Page {
  readonly host: Host;
  readonly #heading = h("h1", { class: "outside", tabindex: -1 });
  readonly #about = h("p", { class: "about outside" });
  readonly #main = h("main");
  readonly #status = h("p", { role: "status", class: "status" });
  readonly #enlarge = button("Enlarge", () => this.#toggle(), "quiet");

  constructor(host: Host) {
    this.host = host;
    const title = h("div", {}, this.#heading, this.#about);
    document.body.append(h("header", {}, title, this.#enlarge), this.#main, this.#status);
    this.refit();
  }

  /** Replaces everything that was shown. */
  show(heading: string, about: string, ...content: readonly (Node | undefined | false)[]): void {
    document.title = heading;
    this.#heading.textContent = heading;
    this.#about.textContent = about;
    this.#main.replaceChildren(...content.filter((node) => node instanceof Node));
    this.say("");
  }

  /** What is going on, or went wrong; screen readers read it out. */
  say(text: string, kind: "" | "bad" | "good" = ""): void {
    this.#status.textContent = text;
    this.#status.className = `status ${kind}`;
  }

  /** Runs what a person asked for, and says why if it fails. */
  async attempt(doing: string, work: () => Promise<void>): Promise<void> {
    this.say(doing);
    const { activeElement: focused } = document;
    const buttons = [...document.querySelectorAll<HTMLButtonElement>("main button:not(:disabled)")];
    for (const one of buttons) one.disabled = true;
    try {
      await work();
      if (this.#status.textContent === doing) this.say("");
    } catch (thrown) {
      this.say(toWords(thrown), "bad");
    } finally {
      for (const one of buttons) one.disabled = false;
      // Whoever uses the keyboard goes on where they were: a disabled button loses the focus.
      if (focused instanceof HTMLElement && focused.isConnected) focused.focus();
      else this.#heading.focus();
    }
  }

  /** Calls a tool, and gives its result as data; throws with the tool's own words if it failed. */
  async call(tool: string | undefined, input: Fields): Promise<Fields> {
    return dataOf(await this.host.callTool(tool ?? "", input));
  }

  /** A button for what comes after a result, and after that, as long as there is more: `next` says what to ask for. */
  more(
    { tool, input, result }: Shown,
    next: (last: Fields) => Fields | undefined,
    take: (result: Fields) => void,
  ): Node | undefined {
    let asked = next(result);
    if (asked === undefined || tool === undefined) return undefined;
    const press = button("Load more", () =>
      this.attempt("Loading …", async () => {
        const given = await this.call(tool, { ...input, ...asked });
        take(given);
        asked = next(given);
        if (asked === undefined) press.remove();
      }),
    );
    return press;
  }

  /** An address that can be opened, if the host does that. Only those of web pages. */
  link(url: unknown, label: string = toText(url)): HTMLElement {
    const address = toText(url);
    if (!this.host.can("openLinks") || !/^https?:\/\//i.test(address)) return outside(label);
    const open = (): Promise<void> => this.attempt("Opening …", () => this.host.openLink(address));
    return button(outside(label), open, "quiet");
  }

  /** Takes over what the host says about colours and sizes. */
  refit(): void {
    const {
      theme,
      styles,
      containerDimensions: room = {},
      availableDisplayModes: modes = [],
    } = this.host.context;
    const root = document.documentElement;
    if (theme) root.style.colorScheme = theme;
    for (const [name, value] of Object.entries(styles?.variables ?? {}))
      if (name.startsWith("--") && value !== undefined) root.style.setProperty(name, value);
    root.style.maxHeight = room.maxHeight === undefined ? "" : `${room.maxHeight}px`;
    root.style.height = room.height === undefined ? "" : "100vh";
    this.#enlarge.hidden = !modes.includes("fullscreen");
    const isFull = this.host.context.displayMode === "fullscreen";
    root.classList.toggle("full", isFull);
    this.#enlarge.textContent = isFull ? "Smaller" : "Enlarge";
  }

  #toggle(): Promise<void> {
    const mode = this.host.context.displayMode === "fullscreen" ? "inline" : "fullscreen";
    return this.attempt("", async () => {
      await this.host.setDisplayMode(mode);
      this.refit();
    });
  }
}

export const toWords = (thrown: unknown): string =>
  thrown instanceof Error ? thrown.message : String(thrown);

export const textOf = ({ content = [] }: ToolResult): string =>
  content.map(({ text = "" }) => text).join("\n");

/** A result as data; throws with the tool's own words if the call failed. */
export function dataOf(result: ToolResult): Fields {
  if (result.isError === true) throw new Error(textOf(result));
  if (!result.structuredContent) throw new Error("This server sends text only (--results text).");
  return result.structuredContent;
}

/** Opens the page: waits for the call and its result, and shows it. */
export function openView({ name, styles = "", show }: ViewConfig): void {
  document.head.append(h("style", {}, base + styles));
  let input: Fields = {};
  const host = new Host((method, params) => {
    if (method === "ui/notifications/tool-input") input = (params["arguments"] ?? {}) as Fields;
    else if (method === "ui/notifications/tool-result") take(params);
    else if (method === "ui/notifications/tool-cancelled")
      page.show("Cancelled", "The call was stopped: there is no result.");
    else if (method === "ui/notifications/host-context-changed") {
      host.context = { ...host.context, ...params };
      page.refit();
    }
  });
  const page = new Page(host);
  page.show("Waiting", "The tool is still running.");
  const take = (result: ToolResult): void => {
    if (result.isError === true || !result.structuredContent) {
      const heading = result.isError === true ? "It did not work" : "Result";
      return page.show(heading, "", h("pre", { class: "outside" }, textOf(result)));
    }
    const tool = host.can("serverTools") ? host.context.toolInfo?.tool.name : undefined;
    try {
      show({ tool, input, result: result.structuredContent }, page);
    } catch {
      // Its text says everything, too.
      page.show("Result", "", h("pre", { class: "outside" }, textOf(result)));
    }
  };
  const tellSize = (): void => {
    const { width, height } = document.body.getBoundingClientRect();
    host.notify("ui/notifications/size-changed", { width: Math.ceil(width), height: Math.ceil(height) });
  };
  void connect();

  async function connect(): Promise<void> {
    try {
      await host.open(name);
      page.refit();
      new ResizeObserver(tellSize).observe(document.body);
    } catch (thrown) {
      page.say(String(thrown), "bad");
    }
  }
}
