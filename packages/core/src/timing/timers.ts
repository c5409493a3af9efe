/** Keeps a timer from keeping the process alive. On platforms where timers are numbers, they never do. */
export function inBackground<T>(timer: T): T {
  (timer as { unref?: () => void }).unref?.();
  return timer;
}

export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

export const pauseInBackground = (ms: number): Promise<void> =>
  new Promise((resolve) => inBackground(setTimeout(resolve, ms)));

export async function isDoneWithin(ms: number, work: Promise<unknown>): Promise<boolean> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<false>((resolve) => (timer = setTimeout(() => resolve(false), ms)));
  try {
    return await Promise.race([work.then(() => true), late]);
  } finally {
    clearTimeout(timer);
  }
}
