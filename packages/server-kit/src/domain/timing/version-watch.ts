const UNKNOWN = "";
const RETRY_MS = 1000;
const LONGEST_RETRY_MS = 60_000;

/** Detects changes of a version. Looks one at a time: a call during a look triggers one more look after it. */
export class VersionWatch {
  readonly #versionNow: () => Promise<string>;
  readonly #changed: () => void;
  #version: string | undefined;
  #isLooking = false;
  #isDue = false;
  #isClosed = false;
  #retry: NodeJS.Timeout | undefined;
  #retryMs = RETRY_MS;

  constructor(versionNow: () => Promise<string>, changed: () => void) {
    this.#versionNow = versionNow;
    this.#changed = changed;
  }

  /** The first look only records the version. */
  look(): void {
    this.#isDue = true;
    if (!this.#isLooking) void this.#lookWhileDue();
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#retry);
  }

  async #lookWhileDue(): Promise<void> {
    this.#isLooking = true;
    while (this.#isDue && !this.#isClosed) {
      this.#isDue = false;
      await this.#lookOnce();
    }
    this.#isLooking = false;
  }

  async #lookOnce(): Promise<void> {
    const before = this.#version;
    try {
      this.#version = await this.#versionNow();
      this.#retryMs = RETRY_MS;
      if (before !== undefined && before !== this.#version && !this.#isClosed) this.#changed();
    } catch {
      // Temporarily locked or missing. It may have changed, so retry, and report a change on the next successful look.
      this.#version = UNKNOWN;
      clearTimeout(this.#retry);
      if (this.#isClosed) return;
      this.#retry = setTimeout(() => this.look(), this.#retryMs).unref();
      this.#retryMs = Math.min(2 * this.#retryMs, LONGEST_RETRY_MS);
    }
  }
}
