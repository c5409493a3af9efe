import { type Program, words } from "./program.ts";

/** What a look at single rows is made of: nothing that walks, calls or comes back. */
const BRIEF = new Set(
  words(`
    Affinity Blob Close Column Copy DeferredSeek Explain Goto Halt IdxGE IdxGT IdxLE IdxLT IdxRowid Init Int64 Integer
    IsNull MustBeInt Noop NotExists NotFound Null OpenRead Real RealAffinity ReleaseReg ResultRow Rowid SCopy SeekGE SeekLE
    SeekRowid String8 TableLock Transaction Variable
  `),
);
/** Those of them that may go on elsewhere, at P2. */
const JUMPS = new Set(
  words("Goto IdxGE IdxGT IdxLE IdxLT IsNull MustBeInt NotExists NotFound SeekGE SeekLE SeekRowid"),
);

/**
 * It comes to its end in a moment, however large the tables. Every program begins with a jump to its end and comes back from
 * there, once.
 */
export const isBrief = (program: Program): boolean =>
  program.every(
    ([addr, opcode, , p2], at) =>
      BRIEF.has(opcode) && (!JUMPS.has(opcode) || p2 > addr || at === program.length - 1),
  );
