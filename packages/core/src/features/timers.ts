/** Keeps a timer from keeping the process alive. On platforms where timers are numbers, they never do. */
export function inBackground<T>(timer: T): T {
  (timer as { unref?: () => void }).unref?.();
  return timer;
}
