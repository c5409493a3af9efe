import type { Fields, Message } from "../wires/message.ts";
import type { Revision } from "../wires/revisions.ts";
import {
  CONTENT_KINDS,
  EMPTY_RESULT,
  NOTIFICATIONS,
  QUESTIONS,
  RESULTS,
  type Member,
  type Shape,
} from "./vocabulary.ts";

/** What in a message of the server the revision does not know, as paths; `answered` is the method it responds to. */
export function strangersIn(message: Message, revision: Revision, answered: string | undefined): string[] {
  const { method, params = {}, result } = message;
  if (method !== undefined) return methodStrangers(method, params, revision);
  if (result === undefined || answered === undefined) return [];
  const shape = RESULTS[answered] ?? EMPTY_RESULT;
  const questions = Object.values((result["inputRequests"] ?? {}) as Record<string, Message>);
  return [
    ...objectStrangers(result, shape, revision, answered),
    ...questions.flatMap((question) =>
      methodStrangers(question.method ?? "", question.params ?? {}, revision),
    ),
  ];
}

function methodStrangers(method: string, params: Fields, revision: Revision): string[] {
  const member = QUESTIONS[method] ?? NOTIFICATIONS[method];
  if (!isKnown(member, revision)) return [method];
  return objectStrangers(params, member?.shape ?? {}, revision, method);
}

function objectStrangers(value: unknown, shape: Shape, revision: Revision, path: string): string[] {
  if (Array.isArray(value)) return value.flatMap((item) => objectStrangers(item, shape, revision, path));
  if (typeof value !== "object" || value === null) return [];
  const kind = (value as Fields)["type"];
  const isContent = "toolUseId" in shape;
  if (isContent && !isKnown(CONTENT_KINDS[String(kind)], revision))
    return [`${path} of type ${String(kind)}`];
  return Object.entries(value).flatMap(([name, inner]) => {
    const member = Object.hasOwn(shape, name) ? shape[name] : undefined;
    if (!isKnown(member, revision)) return [`${path}.${name}`];
    return member?.shape ? objectStrangers(inner, member.shape, revision, `${path}.${name}`) : [];
  });
}

const isKnown = (member: Member | undefined, revision: Revision): boolean =>
  member?.revisions.includes(revision) ?? false;
