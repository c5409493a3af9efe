type Undo = () => unknown;

const afterTest = new Set<Undo>();
const atEnd = new Set<Undo>();

/** Has something undone once the test is over that is running. */
export const undoAfterTest = (undo: Undo): void => void afterTest.add(undo);

/** Has something undone once all tests of the file are over. */
export const undoAtEnd = (undo: Undo): void => void atEnd.add(undo);

async function undoAll(undos: Set<Undo>): Promise<void> {
  const due = [...undos];
  undos.clear();
  await Promise.all(due.map((undo) => undo()));
}

export const tidyAfterTest = (): Promise<void> => undoAll(afterTest);

/** For tests the set-up does this; a program that is none does it last. */
export async function tidyAtEnd(): Promise<void> {
  await undoAll(afterTest);
  await undoAll(atEnd);
}
