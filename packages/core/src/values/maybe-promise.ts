/** Handlers may be synchronous or not. */
export type MaybePromise<T> = T | Promise<T>;
