const UNKNOWN = "";

/** Compares versions of a schema, one look at a time: whoever asks during one gets another one after it. */
export class SchemaWatch {
  readonly #versionNow: () => Promise<string>;
  readonly #changed: () => void;
  #version: string | undefined;
  #isLooking = false;
  #isDue = false;

  constructor(versionNow: () => Promise<string>, changed: () => void) {
    this.#versionNow = versionNow;
    this.#changed = changed;
  }

  /** The first look only learns what there is. */
  look(): void {
    this.#isDue = true;
    if (!this.#isLooking) void this.#lookWhileDue();
  }

  async #lookWhileDue(): Promise<void> {
    this.#isLooking = true;
    while (this.#isDue) {
      this.#isDue = false;
      await this.#lookOnce();
    }
    this.#isLooking = false;
  }

  async #lookOnce(): Promise<void> {
    const before = this.#version;
    try {
      this.#version = await this.#versionNow();
      if (before !== undefined && before !== this.#version) this.#changed();
    } catch {
      // Locked or gone for the moment. It may have changed since the last look, so the next one tells.
      this.#version = UNKNOWN;
    }
  }
}
