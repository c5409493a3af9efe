/** JSON and header values contain none, so an authorizer's names are not cut by accident. */
const SEPARATOR = "\n";

/**
 * The principal of a person who calls through one of several clients. Each client has sessions, tasks and data of its own, but
 * limits count the person.
 */
export function toPrincipal(person: string, client: string): string {
  if (person.includes(SEPARATOR)) throw new RangeError("A person's name must not contain a line feed");
  return person + SEPARATOR + client;
}

/** Whom limits count: otherwise a person with four clients would have four shares. */
export function personOf(principal: string): string;
export function personOf(principal: string | undefined): string | undefined;
export function personOf(principal: string | undefined): string | undefined {
  const end = principal?.indexOf(SEPARATOR) ?? -1;
  return end === -1 ? principal : principal?.slice(0, end);
}
