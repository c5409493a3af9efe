/** The members of `value` that have one of these names and are not undefined, in this order. */
export function pick<T extends object, Name extends keyof T>(value: T, names: readonly Name[]): Pick<T, Name>;
export function pick(value: object, names: readonly string[]): { readonly [name: string]: unknown };
export function pick(value: object, names: readonly string[]): object {
  const picked: Record<string, unknown> = {};
  for (const name of names) {
    const member = (value as Record<string, unknown>)[name];
    if (member !== undefined) picked[name] = member;
  }
  return picked;
}
