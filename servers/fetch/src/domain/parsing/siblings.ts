/** The part of an element that styles depend on, in the tree of any parser. */
export interface StyledElement {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly parent?: StyledElement | null;
}

/** The place of an element among its siblings, and its own children so far. */
interface SiblingPosition {
  readonly before: StyledElement | undefined;
  /** From zero. */
  readonly index: number;
  last: StyledElement | undefined;
  children: number;
}

const createPosition = (before?: StyledElement, index = -1): SiblingPosition => ({
  before,
  index,
  last: undefined,
  children: 0,
});

/** Tracks the order of siblings while a page is read from its beginning. */
export class Siblings {
  readonly #top = createPosition();
  readonly #positions = new Map<StyledElement, SiblingPosition>();

  enter(element: StyledElement): void {
    const above = (element.parent && this.#positions.get(element.parent)) ?? this.#top;
    this.#positions.set(element, createPosition(above.last, above.children));
    above.last = element;
    above.children += 1;
  }

  before(element: StyledElement): StyledElement | undefined {
    return this.#positions.get(element)?.before;
  }

  /** The index among all siblings, from zero. */
  indexOf(element: StyledElement): number {
    return this.#positions.get(element)?.index ?? -1;
  }
}
