import { Fault } from "@suite/server-kit/domain";
import type { StatementKind } from "./admit.ts";

/** A row of EXPLAIN: addr, opcode, p1, p2, p3, p4, p5, comment. */
export type Instruction = readonly [
  addr: number,
  opcode: string,
  p1: number,
  p2: number,
  p3: number,
  p4: string | null,
  p5: number,
  ...rest: unknown[],
];

/** The compiled program of a statement, in order. */
export type Bytecode = readonly Instruction[];

export const words = (text: string): readonly string[] => text.trim().split(/\s+/);

/** Opcodes that compute, move registers, and walk tables, indexes and the program's own temporary tables. */
const READING = words(`
  Abortable Add AddImm Affinity AggFinal AggInverse AggStep AggStep1 AggValue And BeginSubrtn BitAnd BitNot BitOr Blob
  Cast Close ClrSubtype CollSeq Column ColumnsUsed Compare Concat Copy Count CursorHint CursorLock CursorUnlock
  DecrJumpZero DeferredSeek Divide ElseEq EndCoroutine Eq Explain Filter FilterAdd FinishSeek Found Function Ge GetSubtype
  Gosub Goto Gt Halt HaltIfNull IdxGE IdxGT IdxLE IdxLT IdxRowid If IfEmpty IfNoHope IfNot IfNotOpen IfNotZero IfNullRow
  IfPos IfSizeBetween IFindKey Init InitCoroutine Int64 IntCopy Integer IsNull IsTrue IsType Jump Last Le Lt MakeRecord
  Move Multiply MustBeInt Ne NewRowid Next NoConflict Noop Not NotExists NotFound NotNull Null NullRow Offset OffsetLimit
  Once OpenAutoindex OpenDup OpenEphemeral OpenPseudo OpenRead Or Permutation Prev PureFunc ReadCookie Real RealAffinity
  ReleaseReg Remainder ReopenIdx ResetSorter ResultRow Return Rewind RowCell RowData Rowid RowSetAdd RowSetRead RowSetTest
  SCopy SeekEnd SeekGE SeekGT SeekHit SeekLE SeekLT SeekRowid SeekScan Sequence SequenceTest SetSubtype ShiftLeft ShiftRight
  SoftNull Sort SorterCompare SorterData SorterInsert SorterNext SorterOpen SorterSort String String8 Subtract TableLock
  Trace Transaction TypeCheck Variable VCheck VColumn VFilter VInitIn VNext VOpen Yield ZeroOrNull
`);
/** These write, but a query also uses them on temporary tables that its own program opens. */
const SCRATCH = words("Delete IdxDelete IdxInsert Insert");
const OWN_TABLES = new Set(words("OpenAutoindex OpenDup OpenEphemeral OpenPseudo SorterOpen"));
const WRITING = words(`
  ${SCRATCH.join(" ")} Clear FkCheck FkCounter FkIfZero MemMax OpenWrite Param Program ResetCount VBegin VUpdate
`);
const SHAPING = words(`
  CreateBtree Destroy DropIndex DropTable DropTrigger Expire IntegrityCk LoadAnalysis ParseSchema SetCookie SqlExec VCreate
  VDestroy VRename
`);

const ALLOWED: { readonly [kind in StatementKind]: ReadonlySet<string> } = {
  read: new Set([...READING, ...SCRATCH]),
  rows: new Set([...READING, ...WRITING]),
  schema: new Set([...READING, ...WRITING, ...SHAPING]),
};

/** Functions that load code, touch files or hand out addresses. Most are not compiled in, but listing them costs nothing. */
const FUNCTIONS = new Set(words("load_extension fts3_tokenizer readfile writefile edit sqlite_log"));

/** Their results differ from one run to the next with the same data. */
const VOLATILE = new Set(
  words(`
    random randomblob date time datetime julianday unixepoch strftime timediff current_date current_time
    current_timestamp changes total_changes last_insert_rowid
  `),
);

/** Records rows for undo: only the triggers of the server itself call it. */
export const RECORDING = "suite_undo";

const MAIN = 0;
const ASK_ONLY = -1;
const SCHEMA_ROOT_PAGE = 1;
/** Flags in P5: the row is an update, or its rowid becomes last_insert_rowid(). */
const IS_UPDATE = 0x04;
const LAST_ROWID = 0x20;

export interface ProgramFacts {
  readonly volatile: boolean;
  /** Whether every changed row gets a new rowid: not with DO UPDATE, nor WITHOUT ROWID. */
  readonly numbersRows: boolean;
  /** Root pages of the tables and indexes that it may write to, by way of triggers and foreign keys too. */
  readonly writes: ReadonlySet<number>;
  /** Whether it, or a trigger, writes to a virtual table, whose pages nobody knows. */
  readonly writesVirtual: boolean;
}

/**
 * The second half of the policy: the program that SQLite made of the text, triggers and views included. `guarded` are
 * root pages that only SQLite itself may write to.
 */
export function checkProgram(
  program: Iterable<Instruction>,
  kind: StatementKind,
  guarded: ReadonlySet<number> = new Set(),
): ProgramFacts {
  const allowed = ALLOWED[kind];
  const [own, written, writes] = [new Set<number>(), new Set<number>(), new Set<number>()];
  let [volatile, numbers, updates, programs, writesVirtual] = [false, false, false, 0, false];
  for (const [addr, opcode, p1, p2, p3, p4, p5] of program) {
    // The programs of triggers follow the first, and their inserts do not count.
    if (addr === 0) programs += 1;
    if (programs === 1) {
      numbers ||= (opcode === "Insert" && (p5 & LAST_ROWID) !== 0) || (opcode === "VUpdate" && p1 === 1);
      updates ||= opcode === "Insert" && (p5 & IS_UPDATE) !== 0;
    }
    // DROP … IF EXISTS asks for the journal mode, so as not to count as a reader where there is nothing to drop.
    if (opcode === "JournalMode" && kind === "schema" && p3 === ASK_ONLY) continue;
    if (!allowed.has(opcode)) throw refuse(`it would run ${opcode}`);
    const called = opcode === "Function" || opcode === "PureFunc" ? functionOf(p4) : undefined;
    const isOfTrigger = programs > 1 && called === RECORDING;
    if (called !== undefined && (FUNCTIONS.has(called) || called === RECORDING) && !isOfTrigger)
      throw refuse(`it calls ${called}()`);
    writesVirtual ||= opcode === "VUpdate";
    volatile ||= called !== undefined && VOLATILE.has(called);
    if (opcode === "CreateBtree" && p1 !== MAIN) throw refuse("it would create a temporary table");
    if (kind === "schema") continue;
    if (opcode === "Transaction" && p1 !== MAIN) throw refuse("it uses temporary tables");
    if (opcode === "Transaction" && p2 !== 0 && kind === "read") throw refuse("it would write");
    if (OWN_TABLES.has(opcode)) own.add(p1);
    if (SCRATCH.includes(opcode)) written.add(p1);
    const target =
      opcode === "OpenWrite"
        ? { page: p2, place: p3 }
        : opcode === "Clear"
          ? { page: p1, place: p2 }
          : undefined;
    if (target) writes.add(target.page);
    if (target && (target.page === SCHEMA_ROOT_PAGE || guarded.has(target.page) || target.place !== MAIN)) {
      throw refuse("it would write to a table that belongs to SQLite");
    }
  }
  if (kind === "read" && [...written].some((cursor) => !own.has(cursor))) throw refuse("it would write");
  return { volatile, numbersRows: numbers && !updates, writes, writesVirtual };
}

/** P4 of a call is the name with the number of arguments: `upper(1)`. */
const functionOf = (p4: string | null): string => (p4 ?? "").replace(/\(-?\d+\)$/, "").toLowerCase();

const refuse = (reason: string): Fault =>
  new Fault("permission_denied", `The statement is refused: ${reason}.`);
