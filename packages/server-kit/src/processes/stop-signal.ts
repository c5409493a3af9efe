/** As much of an AbortSignal as work needs to stop in time. What the core hands to tools as `stop` is one, and cheaper. */
export interface StopSignal {
  readonly aborted: boolean;
  readonly reason: unknown;
  throwIfAborted(): void;
  addEventListener(type: "abort", listener: () => void): void;
  removeEventListener(type: "abort", listener: () => void): void;
}
