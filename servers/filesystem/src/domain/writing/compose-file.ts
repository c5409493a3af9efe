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

/** All parts are in memory at once. */
const MOST_BYTES = 64 * 1024 * 1024;
const NEWLINE = 0x0a;

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
  const sources = new Map<SafePath, BigIntStats>();
  const parts = input.parts.map((part, index) => readPart(guard, part, index + 1, sources));
  const pieces = parts.flatMap((bytes, index) =>
    index < parts.length - 1 && bytes.length > 0 && bytes.at(-1) !== NEWLINE
      ? [bytes, Buffer.of(NEWLINE)]
      : [bytes],
  );
  const bytes = Buffer.concat(pieces);
  if (bytes.length > MOST_BYTES) throw refuseLarge();
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
        isCurrent: () => plan.isCurrent() && [...sources].every(([source, stats]) => isAsRead(source, stats)),
      },
    }),
  };
}

function readPart(
  guard: PathGuard,
  { text, path: given, start_line: first = 1, end_line: last = Infinity }: ComposedPart,
  number: number,
  sources: Map<SafePath, BigIntStats>,
): Buffer {
  if (text !== undefined && given === undefined) return encodeText(text);
  if (text !== undefined || given === undefined) {
    throw new Fault("invalid_input", `Part ${number} must have either text or path`, {
      hint: "Nothing was changed.",
    });
  }
  const { path, file } = openForReading(guard, given);
  const whole = closing(file, ({ fd, stats }) => {
    if (stats.size > MOST_BYTES) throw refuseLarge();
    sources.set(path, stats);
    return readBytes(fd, 0, Number(stats.size));
  });
  const start = findLine(whole, first);
  const end = last === Infinity ? whole.length : findLine(whole, last + 1, start, first);
  if (last >= first && (start < whole.length || (first === 1 && whole.length === 0))) {
    return whole.subarray(start, end);
  }
  const range = `lines ${first}-${last === Infinity ? "" : last}`;
  throw new Fault(
    "invalid_input",
    `Part ${number}: ${quotePath(path)} has ${countOf(countLines(whole), "line")}, not ${range}`,
    { hint: "Nothing was changed." },
  );
}

/** Where a line starts; the end if there are fewer. */
function findLine(bytes: Buffer, wanted: number, from = 0, line = 1): number {
  let at = from;
  for (let number = line; number < wanted; number += 1) {
    const newline = bytes.indexOf(NEWLINE, at);
    if (newline < 0) return bytes.length;
    at = newline + 1;
  }
  return at;
}

function countLines(bytes: Buffer): number {
  let count = 0;
  for (let at = bytes.indexOf(NEWLINE); at >= 0; at = bytes.indexOf(NEWLINE, at + 1)) count += 1;
  return bytes.length > 0 && bytes.at(-1) !== NEWLINE ? count + 1 : count;
}

const refuseLarge = (): Fault =>
  new Fault("too_large", `The parts have more than ${describeBytes(MOST_BYTES)}`, {
    hint: "Nothing was changed. Compose fewer at a time.",
  });
