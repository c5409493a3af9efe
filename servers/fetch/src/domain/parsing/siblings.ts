/** What is asked of an element, in whichever tree it stands. */
export interface StyledElement {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly parent?: StyledElement | null;
}

/** Where an element stands among the children of its parent, and what is known of its own so far. */
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

/** Which elements stand before which, learned while a page is read from its beginning. */
export class Siblings {
  readonly #top = createPosition();
  /** Held no longer than the page is read. */
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

  /** Among all children, from zero. */
  indexOf(element: StyledElement): number {
    return this.#positions.get(element)?.index ?? -1;
  }
}
