type Undo = () => unknown;

const afterTest = new Set<Undo>();
const atEnd = new Set<Undo>();

/** Has something undone once the test is over that is running. */
export const undoAfterTest = (undo: Undo): void => void afterTest.add(undo);

/** Has something undone once all tests of the file are over. */
export const undoAtEnd = (undo: Undo): void => void atEnd.add(undo);

/** What all tests of a file share: made when it is first asked for, and forgotten when the file is over. */
export function oncePerFile<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined;
  return () => {
    if (made) return made.value;
    made = { value: make() };
    undoAtEnd(() => (made = undefined));
    return made.value;
  };
}

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
