/** A row of EXPLAIN: addr, opcode, p1, p2, p3, p4, p5, comment. */
export type Instruction = readonly [
  addr: number,
  opcode: string,
  p1: number,
  p2: number,
  p3: number,
  p4: string | null,
  ...rest: unknown[],
];

/** What SQLite made of a statement, in the order in which it stands there. */
export type Program = readonly Instruction[];

export const words = (text: string): readonly string[] => text.trim().split(/\s+/);
