import { type Instruction, type Bytecode, words } from "./opcodes.ts";

/** A program that goes once through one table or index, in its order, and makes at most one row of each entry. */
export interface TableWalk {
  /** The root page of what it goes through. */
  readonly page: number;
  readonly backwards: boolean;
  /** The numbers of the parameters that it looks at. */
  readonly parameters: ReadonlySet<number>;
}

/** Nothing that counts, aggregates, sorts, keeps state or reads elsewhere: a row depends on its entry alone. */
const WALKING = new Set(
  words(`
    Add Affinity And BitAnd BitNot BitOr Blob Cast Close ClrSubtype CollSeq Column ColumnsUsed Concat Copy DeferredSeek Divide
    ElseEq Eq Explain FinishSeek Function Ge GetSubtype Goto Gt Halt IdxGE IdxGT IdxLE IdxLT IdxRowid If IfNot IfNullRow Init Int64
    Integer IsNull IsTrue IsType Last Le Lt Multiply MustBeInt Ne Next Noop Not NotNull Null OpenRead Or Prev PureFunc Real
    RealAffinity ReleaseReg Remainder ResultRow Rewind Rowid SCopy SeekGE SeekGT SeekLE SeekLT SetSubtype ShiftLeft ShiftRight
    String String8 Subtract TableLock Transaction TypeCheck Variable ZeroOrNull
  `),
);

export function walkOf(program: Bytecode): TableWalk | undefined {
  if (!program.every(([, opcode]) => WALKING.has(opcode))) return undefined;
  const steps = program.filter(([, opcode]) => opcode === "Next" || opcode === "Prev");
  const [step] = steps;
  // Several ResultRows are parts of a UNION ALL, some of which may not come from the table.
  if (!step || steps.length > 1 || all(program, "ResultRow").length > 1) return undefined;
  const [, kind, walked] = step;
  const opened = all(program, "OpenRead");
  // Through an index to the row of its table, and nowhere else.
  const reached = new Set([walked, ...all(program, "DeferredSeek").map(([, , , , table]) => table)]);
  const [, , , page] = opened.find(([, , cursor]) => cursor === walked) ?? [];
  if (page === undefined || opened.some(([, , cursor]) => !reached.has(cursor))) return undefined;
  const parameters = new Set(all(program, "Variable").map(([, , number]) => number));
  return { page, backwards: kind === "Prev", parameters };
}

const all = (program: Bytecode, wanted: string): Instruction[] =>
  program.filter(([, opcode]) => opcode === wanted);
