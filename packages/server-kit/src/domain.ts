/** For a server's domain folder: the part of the kit that is independent of the protocol. */
export { Fault, type FaultCode, type FaultOptions } from "./domain/errors/fault.ts";
export { looksLikePattern, suggest } from "./domain/errors/suggest.ts";
export { codeOf } from "./domain/errors/code-of.ts";
export { describeProblem, toAbortFault, toFault } from "./domain/errors/to-fault.ts";
export { conceal, countHidden, reveal, shownSize, toVisibleLine } from "./domain/text/reveal.ts";
export { stripTerminal } from "./domain/text/strip-terminal.ts";
export { truncate } from "./domain/text/glimpse.ts";
export { defuse } from "./domain/text/defuse.ts";
export { renderParts, Untrusted, untrusted } from "./domain/text/fence.ts";
export { fitText } from "./domain/paging/fit-text.ts";
export { DEFAULT_BUDGET, fitItems, type FittedItems } from "./domain/paging/fit-items.ts";
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
} from "./domain/paging/cursor.ts";
export { isObject, type JsonValue } from "./domain/text/json-value.ts";
export { countOf, describeBytes } from "./domain/text/counts.ts";
export { readBytes, readBytesLater } from "./domain/content/bytes.ts";
export {
  decodeBytes,
  detectEncoding,
  type Encoding,
  type EncodingName,
  findEncoding,
  guessUtf16,
  markLength,
} from "./domain/content/encoding.ts";
export {
  DocumentFiles,
  type DocumentRange,
  type DocumentText,
  mayBeDocument,
} from "./domain/content/document-files.ts";
export { findOverlapping, findSequence, findText } from "./domain/content/find-text.ts";
export { type CharacterRange, LineText, type Replacement } from "./domain/content/line-text.ts";
export { binaryTypeOf, textTypeOf } from "./domain/content/mime-types.ts";
export { toMissingText } from "./domain/content/nearest-lines.ts";
export { sniff, SNIFF_BYTES, type Sniffed } from "./domain/content/sniff.ts";
export { type DiffOptions, diffTexts, type UnifiedDiff } from "./domain/text/unified-diff.ts";
export { digestOf } from "./domain/text/digest.ts";
export { findUnheld } from "./domain/processes/find-unheld.ts";
export { isRunning, startOf } from "./domain/processes/is-running.ts";
export { TimeSlices } from "./domain/timing/time-slices.ts";
export type { StopSignal } from "./domain/errors/stop-signal.ts";
export { Debounce } from "./domain/timing/debounce.ts";
export { VersionWatch } from "./domain/timing/version-watch.ts";
export { KeyedLocks } from "./domain/timing/locks.ts";
export { Children, type SpawnOptions } from "./domain/processes/children.ts";
export type { ChildResult } from "./domain/processes/await-end.ts";
export { findProgram, withFullSearchPath } from "./domain/processes/find-program.ts";
export { isWithin, outermostRoot } from "./domain/paths/roots.ts";
export { fromFileUri } from "./domain/paths/file-uri.ts";
export { parsePath } from "./domain/paths/lexical.ts";
export { findWindowsProblem } from "./domain/paths/windows-names.ts";
export { fromPathText, quotePath, quoteShown, toPathText } from "./domain/paths/path-text.ts";
export { PathGuard, type LocateOptions, type PathGuardOptions } from "./domain/paths/guard.ts";
export type { SafePath } from "./domain/paths/path-rules.ts";
export type { HeldDirectory } from "./domain/paths/held-directory.ts";
export {
  type EntryName,
  OpenDirectory,
  syncDirectory,
  type WalkedDirectory,
} from "./domain/paths/open-directory.ts";
export {
  copyToNewFile,
  moveToFree,
  TEMPORARY_SUFFIX,
  timesOf,
  writeAll,
  writeNewFile,
} from "./domain/paths/new-file.ts";
export { AtomicFile, type OwnerProcess } from "./domain/paths/atomic-file.ts";
export type { OpenFile } from "./domain/paths/open-file.ts";
export { rename } from "./domain/paths/rename.ts";
export { protectGit } from "./domain/paths/protect-git.ts";
export { etagOf, requireMatch } from "./domain/paths/etag.ts";
