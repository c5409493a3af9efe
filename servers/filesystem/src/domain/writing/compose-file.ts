import type { BigIntStats } from "node:fs";
import {
  countOf,
  describeBytes,
  Fault,
  type PathGuard,
  quotePath,
  readBytes,
  type SafePath,
} from "@suite/server-kit/domain";
import { closing } from "../closing.ts";
import { lookAtEntry, openForReading } from "../reading/open.ts";
import { type Applied, applyChange, type ChangeRequest, type Proposal } from "./changes/apply-change.ts";
import { locateFile } from "./entry-at.ts";
import { encodeText } from "./source-text.ts";
import { sumOf } from "./targets.ts";
import { proposeContent, type WrittenFile } from "./write-file.ts";

/** Either new text, or lines of a file: all of them, or from one to another, counted from 1. */
export interface ComposedPart {
  readonly text?: string | undefined;
  readonly path?: string | undefined;
  readonly start_line?: number | undefined;
  readonly end_line?: number | undefined;
}

export interface ComposeInput {
  readonly path: string;
  readonly parts: readonly ComposedPart[];
  readonly overwrite?: boolean | undefined;
  readonly if_match?: string | undefined;
}

export interface ComposedFile extends Omit<WrittenFile, "diff" | "truncated"> {
  /** Lines of each part. */
  part_lines: number[];
}

/** Of all files and texts together: they are in memory at once. */
const MOST_BYTES = 64 * 1024 * 1024;
const NEWLINE = 0x0a;
/** Every so many lines, the place is kept: hundreds of parts may be lines of one long file. */
const LINES_BETWEEN = 1000;

/** A file that parts are taken from, read once. */
interface Source {
  readonly stats: BigIntStats;
  readonly bytes: Buffer;
  /** Where every thousandth line starts. */
  readonly marks: readonly number[];
  readonly lines: number;
}

/** Writes a file from parts of others and new text. Every part starts on a new line. */
export async function composeFile(
  request: ChangeRequest,
  input: ComposeInput,
): Promise<ComposedFile & Applied> {
  const path = locateFile(request.guard, input.path);
  return applyChange(request, [path], () => propose(request, input, path));
}

function propose(request: ChangeRequest, input: ComposeInput, path: SafePath): Proposal<ComposedFile> {
  const { guard } = request;
  const sources = new Map<SafePath, Source>();
  let total = 0;
  const parts = input.parts.map((part, index) => {
    const bytes = readPart(guard, part, index + 1, sources);
    total += bytes.length;
    if (total > MOST_BYTES) throw refuseLarge();
    return bytes;
  });
  const pieces = parts.flatMap((bytes, index) =>
    index < parts.length - 1 && bytes.length > 0 && bytes.at(-1) !== NEWLINE
      ? [bytes, Buffer.of(NEWLINE)]
      : [bytes],
  );
  const bytes = Buffer.concat(pieces);
  // The parts are known: only their sizes are shown, and no diff.
  const { plan, describe } = proposeContent({ ...request, isDryRun: false }, input, path, bytes);
  const { existed } = describe();
  if (existed && plan && !input.overwrite && input.if_match === undefined) {
    throw new Fault("conflict", `${quotePath(path)} exists already`, {
      hint: "Nothing was changed. Set overwrite to replace it; parts may come from the file itself.",
    });
  }
  const isAsRead = (source: SafePath, { ino, size, mtimeNs }: BigIntStats): boolean => {
    const now = lookAtEntry(guard, source);
    return now?.ino === ino && now.size === size && now.mtimeNs === mtimeNs;
  };
  return {
    describe: () => ({ ...describe(), part_lines: parts.map(countLines) }),
    ...(plan && {
      plan: {
        ...plan,
        tool: "compose_file",
        summary: `${plan.summary} from ${countOf(parts.length, "part")}`,
        isCurrent: () =>
          plan.isCurrent() && [...sources].every(([source, { stats }]) => isAsRead(source, stats)),
      },
    }),
  };
}

function readPart(
  guard: PathGuard,
  { text, path: given, start_line: first = 1, end_line: last = Infinity }: ComposedPart,
  number: number,
  sources: Map<SafePath, Source>,
): Buffer {
  if (text !== undefined && given === undefined) return encodeText(text);
  if (text !== undefined || given === undefined) {
    throw new Fault("invalid_input", `Part ${number} must have either text or path`, {
      hint: "Nothing was changed.",
    });
  }
  const [path, source] = readSource(guard, given, sources);
  const { bytes, lines } = source;
  const start = findLine(source, first);
  if (last >= first && (start < bytes.length || (first === 1 && bytes.length === 0))) {
    return bytes.subarray(start, findLine(source, last + 1));
  }
  const range = `lines ${first}-${last === Infinity ? "" : last}`;
  throw new Fault(
    "invalid_input",
    `Part ${number}: ${quotePath(path)} has ${countOf(lines, "line")}, not ${range}`,
    { hint: "Nothing was changed." },
  );
}

function readSource(
  guard: PathGuard,
  given: string,
  sources: Map<SafePath, Source>,
): readonly [SafePath, Source] {
  const { path, file } = openForReading(guard, given);
  return closing(file, ({ fd, stats }) => {
    const known = sources.get(path);
    if (known) return [path, known];
    const sizes = [...sources.values()].map(({ bytes }) => bytes.length);
    if (Number(stats.size) + sumOf(sizes) > MOST_BYTES) throw refuseLarge();
    const source = { stats, ...markLines(readBytes(fd, 0, Number(stats.size))) };
    sources.set(path, source);
    return [path, source];
  });
}

function markLines(bytes: Buffer): Omit<Source, "stats"> {
  const marks = [0];
  let lines = 0;
  for (let at = bytes.indexOf(NEWLINE); at >= 0; at = bytes.indexOf(NEWLINE, at + 1)) {
    lines += 1;
    if (lines % LINES_BETWEEN === 0) marks.push(at + 1);
  }
  return { bytes, marks, lines: bytes.length > 0 && bytes.at(-1) !== NEWLINE ? lines + 1 : lines };
}

/** Where a line starts; the end if there are fewer. */
function findLine({ bytes, marks, lines }: Source, wanted: number): number {
  if (wanted > lines) return bytes.length;
  const before = Math.floor((wanted - 1) / LINES_BETWEEN);
  let at = marks[before] ?? bytes.length;
  for (let number = before * LINES_BETWEEN + 1; number < wanted; number += 1)
    at = bytes.indexOf(NEWLINE, at) + 1;
  return at;
}

const countLines = (bytes: Buffer): number => markLines(bytes).lines;

const refuseLarge = (): Fault =>
  new Fault(
    "too_large",
    `The parts, and the files they come from, have more than ${describeBytes(MOST_BYTES)}`,
    {
      hint: "Nothing was changed. Compose fewer at a time.",
    },
  );
