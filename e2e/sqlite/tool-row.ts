import type { Fields } from "../support/message.ts";

/** Where rows happen: a shop of its own for each, and a folder for files. */
export interface Scene {
  readonly file: string;
  readonly exchange: string;
}

/** One call of a tool that works. */
export interface ToolRow {
  readonly tool: string;
  /** What the arguments are about. */
  readonly about: string;
  readonly args: Fields;
  /** Files that are there in advance, in the folder for files. */
  readonly files?: Readonly<Record<string, string>>;
  /** A part of what a model reads. */
  readonly text: RegExp;
  /** A part of the structured result. */
  readonly structured: Fields | ((scene: Scene) => Fields);
  /** Kinds of the blocks, where there is more than a text. */
  readonly blocks?: readonly string[];
  /** What is in the database afterwards: rows, by the query that finds them. */
  readonly rows?: Readonly<Record<string, readonly (readonly unknown[])[]>>;
  /** What is in the folder for files afterwards, where it is text; null where there must be nothing. */
  readonly written?: Readonly<Record<string, string | RegExp | null>>;
}
