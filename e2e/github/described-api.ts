import { readFileSync } from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";

import { type Document, OpenAPIBackend, type Request } from "openapi-backend";

type Json = Record<string, unknown>;

/** An answer instead of GitHub's own example, where that one does not fit the question. */
export type CannedAnswers = { readonly [operationId: string]: unknown };

/** A stand-in for GitHub that takes what GitHub's own description allows, and answers with GitHub's own examples. */
export interface DescribedApi {
  readonly url: string;
  /** What was asked that the description does not know or allow. */
  readonly violations: string[];
  readonly operations: string[];
  /** What was sent to GraphQL. */
  readonly documents: string[];
  /** How many bytes were answered. */
  readonly sent: () => number;
  close(): Promise<void>;
}

/** These take a path of several segments, which the router takes for one. */
const SEVERAL = /^(\/repos\/[^/]+\/[^/]+\/(?:contents|git\/(?:ref|refs|matching-refs))\/)(.+)$/;

/** What was found once: the router and the examples are slower than the server under test. */
const remember = <Given, Found>(toKey: (given: Given) => string, find: (given: Given) => Found) => {
  const known = new Map<string, Found>();
  return (given: Given): Found => {
    const key = toKey(given);
    const found = known.get(key) ?? find(given);
    known.set(key, found);
    return found;
  };
};

let described: Promise<OpenAPIBackend> | undefined;

async function loadDescription(): Promise<OpenAPIBackend> {
  const file = createRequire(import.meta.url).resolve("@octokit/openapi/generated/api.github.com.json");
  const definition = JSON.parse(readFileSync(file, "utf8")) as Document;
  giveTypes(definition);
  const backend = new OpenAPIBackend({
    definition,
    quick: true,
    validate: true,
    // The description is GitHub's: whether it keeps to the meta-schema is not for these tests.
    ajvOpts: { strict: false, logger: false, validateSchema: false },
  });
  await backend.init();
  const operations = backend.router.getOperations();
  backend.router.getOperations = () => operations;
  return Object.assign(backend, {
    matchOperation: remember(
      ({ method, path }: Request) => `${method} ${path}`,
      backend.matchOperation.bind(backend),
    ),
    mockResponseForOperation: remember((id: string) => id, backend.mockResponseForOperation.bind(backend)),
  });
}

/** `nullable` without a type beside it is none of the validator's business. */
function giveTypes(node: unknown): void {
  if (typeof node !== "object" || node === null) return;
  const fields = node as Json;
  if (fields["nullable"] === true && fields["type"] === undefined) delete fields["nullable"];
  for (const value of Object.values(fields)) giveTypes(value);
}

export async function startDescribedApi(answers: CannedAnswers = {}): Promise<DescribedApi> {
  const backend = await (described ??= loadDescription());
  const [violations, operations, documents]: [string[], string[], string[]] = [[], [], []];
  let bytes = 0;
  const server = createServer((incoming, outgoing) => {
    void answer(incoming, outgoing).catch((error: unknown) => {
      violations.push(String(error));
      outgoing.writeHead(500).end();
    });
  });

  async function answer(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString();
    const url = new URL(incoming.url ?? "/", "http://stand.in");
    if (url.pathname === "/graphql") return answerGraphql(body, outgoing);
    const request = toRequest(incoming, url, body);
    const operation = backend.matchOperation(request);
    const id = operation?.operationId;
    if (id === undefined) {
      violations.push(`${request.method} ${url.pathname} is not in the description`);
      return void outgoing.writeHead(404).end("{}");
    }
    operations.push(id);
    const { errors } = backend.validateRequest(request, operation);
    violations.push(
      ...(errors ?? []).map(
        (error) => `${id}${error.instancePath} ${error.message} ${JSON.stringify(error.params)}`,
      ),
    );
    const { status, mock } = backend.mockResponseForOperation(id);
    const own = answers[id];
    const data = own ?? mock;
    const type = typeof data === "string" ? "text/plain" : "application/json";
    outgoing.writeHead(status, { "content-type": `${type}; charset=utf-8`, "x-ratelimit-limit": "60" });
    const text = typeof data === "string" ? data : JSON.stringify(data ?? {});
    bytes += status === 204 ? 0 : Buffer.byteLength(text);
    outgoing.end(status === 204 ? undefined : text);
  }

  function answerGraphql(body: string, outgoing: ServerResponse): void {
    const { query, variables } = JSON.parse(body) as { query: string; variables: Json };
    documents.push(query);
    outgoing.writeHead(200, { "content-type": "application/json" });
    const isOfNode = "resolve" in variables || "id" in variables;
    outgoing.end(JSON.stringify({ data: isOfNode ? { node: NODE } : THREADS }));
  }

  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    violations,
    operations,
    documents,
    sent: () => bytes,
    close: () => close(server),
  };
}

const repository = { nameWithOwner: "octocat/Hello-World" };
/** A thread, a review and a pull request in one: each question takes what it needs. */
const NODE = {
  pullRequest: { number: 1347, repository },
  repository,
  comments: { nodes: [{ databaseId: 7 }] },
  discussion: { id: "D_1", number: 90, repository },
  body: "Why not?",
  replyTo: null,
};

const POST = { author: { login: "octocat" }, authorAssociation: "OWNER", createdAt: "2026-01-01T00:00:00Z" };
const COMMENT = { ...POST, id: "DC_1", body: "Because.", isAnswer: false, upvoteCount: 1 };
const TOPIC = { ...POST, id: "D_1", number: 90, title: "Why?", category: { name: "Q&A" }, isAnswered: false };
const PAGE = { pageInfo: { hasNextPage: false, endCursor: null } };
const CHANGE = { oid: "6dcb09b", messageHeadline: "Fix all the bugs", author: { name: "Mona", user: null } };

/** Whatever of a repository is asked for: each question takes what it needs. */
const THREADS = {
  repository: {
    discussionCategories: { nodes: [{ id: "DIC_1", name: "Q&A" }] },
    discussions: { ...PAGE, totalCount: 1, nodes: [{ ...TOPIC, comments: { totalCount: 1 } }] },
    discussion: {
      ...TOPIC,
      body: "Why not?",
      comments: {
        ...PAGE,
        totalCount: 1,
        nodes: [{ ...COMMENT, replies: { totalCount: 1, nodes: [{ ...COMMENT, id: "DC_2" }] } }],
      },
    },
    object: { oid: "6dcb09b", blame: { ranges: [{ startingLine: 1, endingLine: 3, commit: CHANGE }] } },
    pullRequest: {
      reviewThreads: {
        pageInfo: { hasNextPage: false, endCursor: null },
        nodes: [
          {
            id: "PRRT_1",
            isResolved: false,
            isOutdated: false,
            path: "a.txt",
            line: 3,
            comments: {
              nodes: [
                {
                  databaseId: 7,
                  author: { login: "octocat" },
                  authorAssociation: "OWNER",
                  createdAt: "2026-01-01",
                  body: "Why?",
                },
              ],
            },
          },
        ],
      },
    },
  },
};

function toRequest(incoming: IncomingMessage, url: URL, body: string): Request {
  const { method = "GET", headers } = incoming;
  const path = url.pathname.replace(
    SEVERAL,
    (_, before: string, rest: string) => before + rest.replaceAll("/", "%2F"),
  );
  const query = [...url.searchParams]
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .join("&");
  return {
    method,
    path,
    query,
    headers: headers as Record<string, string>,
    ...(body !== "" && { body: JSON.parse(body) as Json }),
  };
}

const close = (server: Server): Promise<void> =>
  new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
