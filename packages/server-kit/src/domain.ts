/** For a server's domain folder: the part of the kit that is independent of the protocol. */
export { Fault, type FaultCode, type FaultOptions } from "./errors/fault.ts";
export { looksLikePattern, suggest } from "./errors/suggest.ts";
export { codeOf } from "./errors/code-of.ts";
export { describeProblem, toAbortFault, toFault } from "./errors/to-fault.ts";
export { conceal, countHidden, reveal, shownSize, toVisibleLine } from "./text/reveal.ts";
export { stripTerminal } from "./text/strip-terminal.ts";
export { toGlimpse } from "./text/glimpse.ts";
export { defuse } from "./text/defuse.ts";
export { renderParts, Untrusted, untrusted } from "./text/fence.ts";
export { fitText } from "./text/fit-text.ts";
export { DEFAULT_BUDGET, fitItems, type FittedItems } from "./text/fit-items.ts";
export {
  fromCursor,
  isCount,
  isListOf,
  isText,
  noteCursor,
  type PageEnd,
  type PlaceCheck,
  toCursor,
  toPageEnd,
} from "./text/cursor.ts";
export { isObject, type JsonValue } from "./text/json-value.ts";
export { countOf, describeBytes } from "./text/counts.ts";
export { type ByteReader, readBytes, readBytesLater, readFromDisk } from "./content/bytes.ts";
export {
  decodeBytes,
  detectEncoding,
  type Encoding,
  type EncodingName,
  guessUtf16,
  markLength,
} from "./content/encoding.ts";
export { findOverlapping, findSequence, findText } from "./content/find-text.ts";
export { type CharacterRange, LineText, type Replacement } from "./content/line-text.ts";
export { binaryTypeOf, textTypeOf } from "./content/mime-types.ts";
export { toMissingText } from "./content/nearest-lines.ts";
export { sniff, SNIFF_BYTES, type Sniffed } from "./content/sniff.ts";
export { pageText, readTextPage, type TextPage, type TextSource } from "./content/text-page.ts";
export { parseTextSpan, type TextSpan, type TextSpanRequest } from "./content/text-span.ts";
export { type DiffOptions, diffTexts, type UnifiedDiff } from "./text/unified-diff.ts";
export { digestOf } from "./text/digest.ts";
export { startOf } from "./processes/is-running.ts";
export { TimeSlices } from "./processes/time-slices.ts";
export type { StopSignal } from "./processes/stop-signal.ts";
export { Debounce } from "./processes/debounce.ts";
export { VersionWatch } from "./processes/version-watch.ts";
export { KeyedLocks } from "./processes/locks.ts";
export { Children, type SpawnOptions } from "./processes/children.ts";
export type { ChildResult } from "./processes/await-end.ts";
export { isWithin, outermostRoot } from "./paths/roots.ts";
export { fromFileUri } from "./paths/file-uri.ts";
export { fromPathText, quotePath, quoteShown, toPathText } from "./paths/path-text.ts";
export { PathGuard, type LocateOptions, type PathGuardOptions } from "./paths/guard.ts";
export type { SafePath } from "./paths/path-rules.ts";
export type { HeldDirectory } from "./paths/held-directory.ts";
export {
  type EntryName,
  OpenDirectory,
  syncDirectory,
  type WalkedDirectory,
} from "./paths/open-directory.ts";
export {
  copyToNewFile,
  moveToFree,
  TEMPORARY_SUFFIX,
  timesOf,
  writeAll,
  writeNewFile,
} from "./paths/new-file.ts";
export { AtomicFile, type OwnerProcess } from "./paths/atomic-file.ts";
export type { OpenFile } from "./paths/open-file.ts";
export { protectGit } from "./paths/protect-git.ts";
export { etagOf, requireMatch } from "./paths/etag.ts";
