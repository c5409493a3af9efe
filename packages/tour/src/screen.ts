/** What the tour needs of a stream that may be a terminal. */
export interface TerminalOutput {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

const STYLES = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33, cyan: 36 } as const;
type Style = keyof typeof STYLES;

const NARROWEST = 30;
/** Longer lines are hard to read, however wide the window is. */
const WIDEST = 100;
const WHEN_UNKNOWN = 80;
const INDENT = "  ";
/** Of one answer, where the tour is brief, and of characters where it is not. */
const MOST_LINES = 3;
const MOST_CHARACTERS = 160;

export interface ScreenOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** One line for what is sent, a few for what comes back. */
  readonly brief?: boolean;
}

/** Writes the tour, as wide as the terminal is, in colours only where somebody sees them and has not declined. */
export class Screen {
  readonly #output: TerminalOutput;
  readonly #hasColours: boolean;
  readonly #width: number;
  readonly #brief: boolean;
  #shorten: (text: string) => string = (text) => text;

  constructor(output: TerminalOutput, { env, brief = false }: ScreenOptions) {
    this.#output = output;
    this.#brief = brief;
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
    const shortened = definitions.map(({ label, text }) => ({
      label: this.#shorten(label),
      text: this.#shorten(text),
    }));
    for (const { label, text } of toDefinitionLines(shortened, this.#width - INDENT.length)) {
      this.line((INDENT + this.#paint(style, label) + text).trimEnd());
    }
  }

  table(header: readonly string[], rows: readonly Row[]): void {
    const [first = "", ...rest] = toTable(header, rows, this.#width - INDENT.length);
    this.line(INDENT + this.#paint("cyan", first));
    for (const line of rest) this.line(INDENT + line);
  }

  /** From now on, `path` is shown as `name`. */
  nickname(path: string, name: string): void {
    this.#shorten = (text) => text.replaceAll(path, name);
  }

  sent(text: string): void {
    this.#message("→", "green", text, 1);
  }

  received(text: string): void {
    this.#message("←", "yellow", text, MOST_LINES);
  }

  /** A question to the user. */
  asked(text: string): void {
    this.#message("?", "cyan", text, 1);
  }

  refused(text: string): void {
    this.#message("✗", "red", text, MOST_LINES);
  }

  /** As it is, for copying: never wrapped. */
  verbatim(text: string): void {
    for (const line of text.split("\n")) this.line(INDENT + line);
  }

  #message(label: string, style: Style, text: string, mostLines: number): void {
    if (!this.#brief) return this.definitions([{ label, text: cut(text, MOST_CHARACTERS) }], style);
    const width = this.#width - INDENT.length - 2;
    const lines = barFenced(this.#shorten(text)).flatMap((line) =>
      line.length <= width || mostLines === 1 ? [line] : wrap(line, width),
    );
    const shown = lines.slice(0, mostLines).map((line) => cut(line, width));
    const left = lines.length - shown.length;
    if (left > 0)
      shown.push(
        shown
          .pop()
          ?.slice(0, width - 20)
          .concat(` … ${left} more ${left === 1 ? "line" : "lines"}`) ?? "",
      );
    for (const [at, line] of shown.entries()) {
      this.line(`${INDENT}${at === 0 ? this.#paint(style, label) : " "} ${line}`);
    }
  }

  #paint(style: Style, text: string): string {
    return this.#hasColours ? `\u001B[${STYLES[style]}m${text}\u001B[0m` : text;
  }
}

const cut = (text: string, longest: number): string =>
  text.length <= longest ? text : `${text.slice(0, longest - 1)}…`;

/** Lines that say something; those between the fences around text from outside have a bar instead. */
function barFenced(text: string): readonly string[] {
  let fence = "";
  return text.split("\n").flatMap((line) => {
    const [, slash, name = ""] = /^<(\/?)(untrusted-\w+)[^>]*>$/.exec(line) ?? [];
    const isOpening = slash === "" && fence === "";
    const isClosing = slash === "/" && fence === name;
    if (isOpening) fence = name;
    if (isClosing) fence = "";
    if (isOpening || isClosing || line.trim() === "") return [];
    return [fence === "" ? line : `│ ${line}`];
  });
}

/** Words of `text` in lines of at most `width`; a word longer than that has a line of its own. */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(/\s+/).filter((found) => found !== "")) {
    const longer = line === "" ? word : `${line} ${word}`;
    if (longer.length > width && line !== "") {
      lines.push(line);
      line = word;
    } else line = longer;
  }
  return line === "" ? lines : [...lines, line];
}

export interface Definition {
  readonly label: string;
  readonly text: string;
}

/** The texts in one column beside their labels; below them where that would leave too little room to read. */
export function toDefinitionLines(definitions: readonly Definition[], width: number): Definition[] {
  const column = Math.max(...definitions.map(({ label }) => label.length)) + 2;
  const isNarrow = width - column < 24;
  return definitions.flatMap(({ label, text }) => {
    if (isNarrow) {
      const below = wrap(text, width - 2).map((line) => ({ label: "  ", text: line }));
      return [{ label, text: "" }, ...below];
    }
    const [first = "", ...rest] = wrap(text, width - column);
    const blank = " ".repeat(column);
    return [
      { label: label.padEnd(column), text: first },
      ...rest.map((line) => ({ label: blank, text: line })),
    ];
  });
}

export interface Row {
  readonly label: string;
  readonly cells: readonly string[];
}

/** A table whose cells share one width; turned into a list where the terminal is too narrow for it. */
export function toTable(header: readonly string[], rows: readonly Row[], width: number): string[] {
  const labelWidth = Math.max(...rows.map(({ label }) => label.length));
  const cellWidth = Math.max(
    ...[header, ...rows.map(({ cells }) => cells)].flat().map(({ length }) => length),
  );
  const toLine = (label: string, cells: readonly string[]): string =>
    [label.padEnd(labelWidth + 1), ...cells.map((cell) => cell.padEnd(cellWidth))].join(" ").trimEnd();
  if (labelWidth + 1 + header.length * (cellWidth + 1) <= width) {
    return [toLine("", header), ...rows.map(({ label, cells }) => toLine(label, cells))];
  }
  return rows.flatMap(({ label, cells }) => [
    label,
    ...cells.map((cell, column) => `  ${header[column] ?? ""} ${cell}`),
  ]);
}
