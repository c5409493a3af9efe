import { type Definition, type Row, toDefinitionLines, toTable, wrap } from "./layout.ts";

/** What the tour needs of a stream that may be a terminal. */
export interface Output {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

const STYLES = { bold: 1, dim: 2, green: 32, yellow: 33, cyan: 36 } as const;
type Style = keyof typeof STYLES;

const NARROWEST = 30;
/** Longer lines are hard to read, however wide the window is. */
const WIDEST = 100;
const WHEN_UNKNOWN = 80;
const INDENT = "  ";

/** Writes the tour, as wide as the terminal is, in colours only where somebody sees them and has not declined. */
export class Screen {
  readonly #output: Output;
  readonly #hasColours: boolean;
  readonly #width: number;

  constructor(output: Output, env: Readonly<Record<string, string | undefined>>) {
    this.#output = output;
    const declined = (env["NO_COLOR"] ?? "") !== "" || env["TERM"] === "dumb";
    this.#hasColours = output.isTTY === true && !declined;
    this.#width = Math.min(WIDEST, Math.max(NARROWEST, output.columns ?? WHEN_UNKNOWN));
  }

  line(text = ""): void {
    this.#output.write(`${text}\n`);
  }

  title(text: string): void {
    const rule = "─".repeat(Math.max(0, this.#width - text.length - 1));
    this.line();
    this.line(`${this.#paint("bold", text)} ${this.#paint("dim", rule)}`);
  }

  heading(text: string): void {
    this.line();
    this.line(this.#paint("bold", text));
  }

  paragraph(text: string): void {
    for (const line of wrap(text, this.#width - INDENT.length)) this.line(INDENT + line);
  }

  definitions(definitions: readonly Definition[], style: Style = "cyan"): void {
    if (definitions.length === 0) return;
    for (const { label, text } of toDefinitionLines(definitions, this.#width - INDENT.length)) {
      this.line((INDENT + this.#paint(style, label) + text).trimEnd());
    }
  }

  table(header: readonly string[], rows: readonly Row[]): void {
    const [first = "", ...rest] = toTable(header, rows, this.#width - INDENT.length);
    this.line(INDENT + this.#paint("cyan", first));
    for (const line of rest) this.line(INDENT + line);
  }

  sent(text: string): void {
    this.definitions([{ label: "→", text }], "green");
  }

  received(text: string): void {
    this.definitions([{ label: "←", text }], "yellow");
  }

  /** As it is, for copying: never wrapped. */
  verbatim(text: string): void {
    for (const line of text.split("\n")) this.line(INDENT + line);
  }

  #paint(style: Style, text: string): string {
    return this.#hasColours ? `\u001B[${STYLES[style]}m${text}\u001B[0m` : text;
  }
}
