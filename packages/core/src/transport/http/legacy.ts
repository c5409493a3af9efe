import { invalidRequest } from "../../jsonrpc/error.ts";
import { isRequestId } from "../../jsonrpc/message.ts";
import type { AdmittedRequest } from "./authorization.ts";
import { isMessage, isRequest } from "./body-kinds.ts";
import type { Headers, HttpExchange } from "./exchange.ts";
import { accepts } from "./media-types.ts";
import type { MaybePromise } from "../../values/maybe-promise.ts";
import { refuseForNow, refuseMore, replyWithError, SessionGone, TooManySessions } from "./refusals.ts";
import type { HttpSession } from "./session.ts";
import type { HttpSessions } from "./sessions.ts";

/** A message of the legacy era: `initialize` opens a session, and all that follows belongs to one. */
export function postLegacy(
  sessions: HttpSessions,
  exchange: HttpExchange,
  value: unknown,
  admitted: AdmittedRequest,
): void {
  const { headers, caller, reservation } = admitted;
  if (isRequest(value) && value["method"] === "initialize") {
    const session = sessions.create(caller?.principal);
    if (!session) return refuseForNow(exchange, headers, new TooManySessions(), sessions.report);
    const opened = session.open(exchange, value, headers);
    const dropUnlessOpen = (isOpen: boolean): void => {
      if (!isOpen) sessions.drop(session, "The handshake failed");
    };
    if (opened instanceof Promise) {
      opened.then(dropUnlessOpen).catch((thrown: unknown) => {
        sessions.drop(session, "The session could not be stored");
        refuseForNow(exchange, headers, thrown, sessions.report);
      });
    } else dropUnlessOpen(opened);
    return;
  }
  const isAnswered = Array.isArray(value)
    ? value.some(isRequest) || value.length === 0
    : isRequest(value) || !isMessage(value);
  withSession(sessions, exchange, admitted, (session) => {
    if (!isAnswered) return session.take(exchange, value, headers);
    const leave = reservation.retain();
    if (reservation.occupy()) return session.post(exchange, value, headers, leave);
    leave();
    refuseMore(exchange, headers, isRequest(value) && isRequestId(value["id"]) ? value["id"] : undefined);
  });
}

export function getLegacy(sessions: HttpSessions, exchange: HttpExchange, admitted: AdmittedRequest): void {
  const { headers, reservation } = admitted;
  if (!accepts(exchange, "text/event-stream")) {
    return replyWithError(exchange, 406, headers, invalidRequest("Accept must list text/event-stream"));
  }
  if (!reservation.openStream()) return refuseMore(exchange, headers);
  withSession(sessions, exchange, admitted, async (session) => {
    if (await session.get(exchange, exchange.header("last-event-id"), admitted)) {
      if (sessions.isDraining) session.disconnectListeners();
      return;
    }
    replyWithError(exchange, 400, headers, invalidRequest("There is no stream with that event to resume"));
  });
}

export function deleteLegacy(
  sessions: HttpSessions,
  exchange: HttpExchange,
  { headers, caller }: AdmittedRequest,
): void {
  const id = sessionIdOf(exchange, headers);
  if (id === undefined) return;
  const answer = (isEnded: boolean): void =>
    isEnded ? exchange.reply(204, headers) : refuseUnknown(exchange, headers);
  sessions
    .end(id, caller?.principal)
    .then(answer)
    .catch((thrown: unknown) => refuseForNow(exchange, headers, thrown, sessions.report));
}

function withSession(
  sessions: HttpSessions,
  exchange: HttpExchange,
  { headers, caller }: AdmittedRequest,
  use: (session: HttpSession) => MaybePromise<void>,
): void {
  const id = sessionIdOf(exchange, headers);
  if (id === undefined) return;
  const proceed = (session: HttpSession | undefined): MaybePromise<void> =>
    session ? use(session) : refuseUnknown(exchange, headers);
  const found = sessions.find(id, caller?.principal);
  const done = found instanceof Promise ? found.then(proceed) : proceed(found);
  if (done instanceof Promise)
    done.catch((thrown: unknown) => refuseForNow(exchange, headers, thrown, sessions.report));
}

/** Answers with an error, and returns undefined, if the request names no session. */
function sessionIdOf(exchange: HttpExchange, headers: Headers): string | undefined {
  const id = exchange.header("mcp-session-id");
  const missing = "Mcp-Session-Id is missing: send initialize first";
  if (id === undefined) replyWithError(exchange, 400, headers, invalidRequest(missing));
  return id;
}

const refuseUnknown = (exchange: HttpExchange, headers: Headers): void =>
  replyWithError(exchange, 404, headers, new SessionGone());
