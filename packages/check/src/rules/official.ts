import type { Fields } from "../wires/message.ts";
import type { Revision } from "../wires/revisions.ts";
import { compileSchema } from "./json-schema.ts";
import schema20241105 from "./schemas/2024-11-05.json" with { type: "json" };
import schema20250326 from "./schemas/2025-03-26.json" with { type: "json" };
import schema20250618 from "./schemas/2025-06-18.json" with { type: "json" };
import schema20251125 from "./schemas/2025-11-25.json" with { type: "json" };
import schema20260728 from "./schemas/2026-07-28.json" with { type: "json" };

/** The official ones, without their descriptions. */
const SCHEMAS: Readonly<Record<Revision, Fields>> = {
  "2024-11-05": schema20241105,
  "2025-03-26": schema20250326,
  "2025-06-18": schema20250618,
  "2025-11-25": schema20251125,
  "2026-07-28": schema20260728,
};

/** A part of a JSON Schema, as far as the official ones use it. */
export interface Part {
  readonly $ref?: string;
  readonly anyOf?: readonly Part[];
  readonly items?: Part;
  readonly const?: unknown;
  readonly properties?: { readonly [member: string]: Part };
  readonly additionalProperties?: Part | boolean;
}

/** The schema of a revision. Kinds of messages are the specification's own names. */
export class Official {
  readonly #schema: Fields;
  readonly #member: "$defs" | "definitions";
  readonly #judges = new Map<string, ReturnType<typeof compileSchema>>();
  readonly #kinds = new Map<string, string>();
  /** The methods of what a server may say, requests in results included. */
  readonly #saidByServers: ReadonlySet<string>;

  constructor(schema: Fields) {
    this.#schema = schema;
    this.#member = "$defs" in schema ? "$defs" : "definitions";
    for (const [kind, { properties }] of Object.entries(this.#parts)) {
      const method = properties?.["method"]?.const;
      if (typeof method === "string" && !this.#kinds.has(method)) this.#kinds.set(method, kind);
    }
    const said = ["ServerRequest", "ServerNotification", "InputRequest"];
    this.#saidByServers = new Set(
      said.flatMap((kind) => this.#parts[kind]?.anyOf?.map(({ $ref = "" }) => nameIn($ref)) ?? []),
    );
  }

  get #parts(): { readonly [kind: string]: Part } {
    return this.#schema[this.#member] as { readonly [kind: string]: Part };
  }

  /** What a message of a server with this method is; nothing if no server says that. */
  kindOf(method: string): string | undefined {
    const kind = this.#kinds.get(method);
    return kind !== undefined && this.#saidByServers.has(kind) ? kind : undefined;
  }

  /** What answers this method; nothing if it is no method of the specification. */
  resultOf(method: string): string | undefined {
    const kind = this.#kinds.get(method);
    const result = kind?.replace(/Request$/, "Result");
    return result !== undefined && result in this.#parts ? result : kind && "EmptyResult";
  }

  /** The part itself, or what it refers to. */
  follow(part: Part): Part {
    return part.$ref === undefined ? part : this.follow(this.part(nameIn(part.$ref)));
  }

  part(kind: string): Part {
    return this.#parts[kind] ?? {};
  }

  /** What a value lacks to be of the kind; each kind is compiled when it is first met. */
  judge(kind: string, value: unknown): string | undefined {
    if (!(kind in this.#parts)) return undefined;
    const judge =
      this.#judges.get(kind) ?? compileSchema({ ...this.#schema, $ref: `#/${this.#member}/${kind}` });
    this.#judges.set(kind, judge);
    return judge(value);
  }
}

const nameIn = ($ref: string): string => $ref.slice($ref.lastIndexOf("/") + 1);

const loaded = new Map<Revision, Official>();

export function officialOf(revision: Revision): Official {
  const official = loaded.get(revision) ?? new Official(SCHEMAS[revision]);
  loaded.set(revision, official);
  return official;
}
