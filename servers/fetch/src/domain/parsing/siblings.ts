/** What is asked of an element, in whichever tree it stands. */
export interface StyledElement {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly parent?: StyledElement | null;
}

interface Place {
  readonly before: StyledElement | undefined;
  /** From zero, among all children and among those of the same name. */
  readonly index: number;
  readonly ofType: number;
}

interface Row {
  last: StyledElement | undefined;
  count: number;
  readonly ofType: Map<string, number>;
}

const NOWHERE: Place = { before: undefined, index: -1, ofType: -1 };
const TOP: object = {};

/** Which elements stand before which, learned while a page is read from its beginning. */
export class Siblings {
  readonly #rows = new WeakMap<object, Row>();
  readonly #places = new WeakMap<StyledElement, Place>();

  enter(element: StyledElement): void {
    const { name, parent } = element;
    const key = parent ?? TOP;
    let row = this.#rows.get(key);
    if (!row) {
      row = { last: undefined, count: 0, ofType: new Map() };
      this.#rows.set(key, row);
    }
    const ofType = row.ofType.get(name) ?? 0;
    this.#places.set(element, { before: row.last, index: row.count, ofType });
    row.last = element;
    row.count += 1;
    row.ofType.set(name, ofType + 1);
  }

  placeOf(element: StyledElement): Place {
    return this.#places.get(element) ?? NOWHERE;
  }
}
