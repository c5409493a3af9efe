import { closeLater, closeLeftovers } from "@suite/check/wires";

type Undo = () => unknown;

/** Has something undone once the test is over that is running. */
export const undoAfterTest = (undo: Undo): void => void closeLater(undo);

/** Has something undone once all tests of the file are over. */
export const undoAtEnd = (undo: Undo): void => void closeLater(undo, "last");

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

export const tidyAfterTest = (): Promise<void> => closeLeftovers();

/** For tests the set-up does this; a program that is none does it last. */
export async function tidyAtEnd(): Promise<void> {
  await closeLeftovers();
  await closeLeftovers("last");
}
