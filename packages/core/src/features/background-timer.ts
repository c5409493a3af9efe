/** For a timer that must not keep a process alive that has nothing else to do. Where timers are numbers, none ever does. */
export function inBackground<T>(timer: T): T {
  (timer as { unref?: () => void }).unref?.();
  return timer;
}
