import { spawnSync } from "node:child_process";
import { createRequire } from "node:module";
import { isDeepStrictEqual } from "node:util";
import { ProtocolError } from "../../packages/core/src/jsonrpc/error.ts";
import { compileJsonSchema } from "../../packages/core/src/schema/json-schema/compile.ts";
import { type JsonSchema, SchemaError } from "../../packages/core/src/schema/json-schema/schema.ts";
import { fromListCursor, toListCursor } from "../../packages/core/src/features/pagination.ts";
import { LineFraming } from "../../packages/core/src/transport/framing.ts";
import { EventParser } from "../../packages/core/src/transport/http/event-parser.ts";
import { DocumentError } from "../../packages/documents/src/document-error.ts";
import { readElements } from "../../packages/documents/src/xml.ts";
import { Fault, fromCursor, toCursor } from "../../packages/server-kit/src/domain.ts";
import { readFeed } from "../../servers/fetch/src/domain/parsing/feed.ts";
import { runJob } from "../../servers/fetch/src/domain/parsing/jobs.ts";
import { readSitemap } from "../../servers/fetch/src/domain/parsing/sitemap.ts";
import { createExpressionMatcher } from "../../servers/filesystem/src/domain/searching/line-matcher.ts";
import {
  parseExcludes,
  parseGlob,
  parseIncludes,
} from "../../servers/filesystem/src/domain/walking/globs/glob.ts";
import { parseConfig, toName } from "../../servers/git/src/domain/repository/config-file.ts";
import { admit } from "../../servers/sqlite/src/domain/sql-policy/admit.ts";
import { liftValues, shapeOf } from "../../servers/sqlite/src/domain/sql-policy/statement.ts";
import { guessDialect, parseCsv } from "../../servers/sqlite/src/domain/transfer/csv-parser.ts";
import {
  isJsonArray,
  parseJsonArray,
  parseJsonLines,
} from "../../servers/sqlite/src/domain/transfer/json-lines.ts";

export interface Parser {
  /** What it reads without complaint; the fuzzer changes these. */
  readonly seeds: readonly string[];
  /** What means something to it, separated by spaces. */
  readonly words: string;
  /** Throws where the parser does wrong. To refuse a text is not wrong. */
  readonly read: (text: string) => unknown;
}

/** The result, or undefined where one of these errors says why there is none. */
function allow<T>(
  errors: readonly (abstract new (...args: never[]) => Error)[],
  run: () => T,
): T | undefined {
  try {
    return run();
  } catch (error) {
    if (errors.some((expected) => error instanceof expected)) return undefined;
    throw error;
  }
}

function requireSame(what: string, actual: unknown, expected: unknown): void {
  if (isDeepStrictEqual(actual, expected)) return;
  throw new Error(
    `${what}: ${JSON.stringify(actual)?.slice(0, 300)}, not ${JSON.stringify(expected)?.slice(0, 300)}`,
  );
}

/** The same text in pieces, whose lengths it decides itself. */
const cut = (text: string): string[] => text.match(new RegExp(`[^]{1,${1 + (text.length % 7)}}`, "g")) ?? [];

/** What comes before the first line break, and what comes after it. */
const split = (text: string): [string, string] => {
  const at = text.indexOf("\n");
  return at === -1 ? [text, ""] : [text.slice(0, at), text.slice(at + 1)];
};

function readFrames(pieces: readonly Buffer[]): unknown[] {
  const heard: unknown[] = [];
  const framing = new LineFraming({
    message: (value) => void heard.push(value),
    unreadable: ({ code }) => void heard.push({ code }),
  });
  for (const piece of pieces) framing.push(piece);
  framing.end();
  return heard;
}

function readEvents(pieces: readonly string[]): unknown[] {
  const heard: unknown[] = [];
  const parser = new EventParser({
    event: (event) => void heard.push(event),
    retry: (ms) => void heard.push(ms),
  });
  for (const piece of pieces) parser.push(piece);
  return heard;
}

type Reader = (pieces: AsyncIterable<string>) => AsyncIterable<unknown>;

/** The records, and whether the text was refused after them. */
async function collect(read: Reader, pieces: readonly string[]): Promise<unknown[]> {
  const records: unknown[] = [];
  try {
    const given = (async function* () {
      yield* pieces;
    })();
    for await (const record of read(given)) records.push(record);
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    records.push(error.message);
  }
  return records;
}

/** Parsers of other makers say with any error of their own that a text is not theirs. */
const refused = (error: unknown): undefined => {
  if (error instanceof TypeError && /undefined|null|not (?:a function|iterable)/.test(error.message))
    throw error;
};

/** A library of one of the servers, to judge by. */
const load = (server: string, library: string): unknown =>
  createRequire(`${process.cwd()}/servers/${server}/package.json`)(library);

interface Re2 {
  readonly CASE_INSENSITIVE: number;
  compile(
    pattern: string,
    flags: number,
  ): { matcher: (line: string) => { find(): boolean; start(): number } };
}

const schema = 'CREATE TABLE p (id INTEGER PRIMARY KEY, name TEXT, n INT); CREATE TABLE "a b" (x, y)';
interface Prepared {
  readonly readonly: boolean;
}
const openDatabase = (): { prepare: (sql: string) => Prepared } => {
  const Database = load("sqlite", "better-sqlite3") as new (path: string) => {
    exec: (sql: string) => { prepare: (sql: string) => Prepared };
  };
  return new Database(":memory:").exec(schema);
};
let database: ReturnType<typeof openDatabase> | undefined;

/** What SQLite makes of it, or the reason why it refuses it. */
function prepare(sql: string): Prepared | string {
  database ??= openDatabase();
  try {
    return database.prepare(sql);
  } catch (error) {
    return String(error);
  }
}

export const PARSERS: { readonly [name: string]: Parser } = {
  framing: {
    seeds: [
      '{"jsonrpc":"2.0","id":1,"method":"ping"}\n',
      '[1,"é😀"]\r\n\n{"a":{"__proto__":null}}\n"\xff"\n1e999',
    ],
    words: '" \\ \n \r { [ ] } \\u0000 \\ud800 \xff \xc3 \xa9 \uFEFF null -0 1e400 "__proto__":',
    read(text) {
      const bytes = Buffer.from(text, /^[\0-\xff]*$/.test(text) ? "latin1" : "utf8");
      const size = 1 + (bytes.length % 7);
      const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
        bytes.subarray(at * size, (at + 1) * size),
      );
      requireSame("in pieces", readFrames(pieces), readFrames([bytes]));
    },
  },
  events: {
    seeds: ["id: 1\nevent: message\ndata: {}\ndata: 2\n\n", ": comment\rretry: 10\r\r\ndata\r\n\r\n"],
    words: ": data: id: event: retry: \n \r \r\n \0 \uFEFF 10",
    read: (text) => requireSame("in pieces", readEvents(cut(text)), readEvents([text])),
  },
  schema: {
    seeds: [
      '{"type":"object","properties":{"a":{"type":"integer","minimum":1}},"required":["a"],"additionalProperties":false}\n{"a":1}',
      '{"$ref":"#/$defs/n","$defs":{"n":{"type":"array","items":{"$ref":"#/$defs/n"},"uniqueItems":true}}}\n[[],[[]]]',
      '{"oneOf":[{"const":1},{"enum":["a",null]}],"if":{"type":"string"},"then":{"maxLength":3,"format":"email"},"else":{"multipleOf":0.5}}\n"a"',
      '{"anyOf":[{"prefixItems":[true],"contains":{"type":"null"}}],"unevaluatedItems":false,"patternProperties":{"^a":false}}\n[1,null]',
      '{"$id":"https://a/b","$dynamicRef":"#x","$defs":{"y":{"$dynamicAnchor":"x","not":{"dependentRequired":{"a":["b"]}}}}}\n{}',
    ],
    words:
      '"$ref":"#" "$ref":"#/$defs/n" "allOf":[ "not":{ "type":"string" "const": "format":"uri" "unevaluatedProperties":false, "$anchor":"x", "items": true false null {} [] 1e308 -0 "" , : " \\u0000 "__proto__": #/%25 ~1',
    read(text) {
      const [schemaText, valueText] = split(text);
      const given = allow([SyntaxError], () => JSON.parse(schemaText) as JsonSchema);
      const value = allow([SyntaxError], () => JSON.parse(valueText) as unknown);
      // `pattern` is trusted: it comes from the author of the server.
      if (given === undefined || /"pattern(?:Properties)?"/.test(schemaText)) return;
      const validate = allow([SchemaError], () => compileJsonSchema(given, { formatAssertion: true }));
      requireSame("once more", validate?.(value), validate?.(value));
    },
  },
  globs: {
    seeds: [
      "src/**/*.{ts,tsx}\nsrc/a/b.ts",
      "[!a-z]?\\*\n9x*",
      "/a/{1..3}/**\na/2/c",
      "é*/[[:alpha:]]/\né1/x",
    ],
    words: "** * ? [ ] [! [^ { } , .. {a,b} {1..9} \\ / ./ ! - [[:alpha:]] ]] 😀 \u0301",
    read(text) {
      const [glob, path] = split(text);
      const name = path.slice(path.lastIndexOf("/") + 1);
      const [plain, included, excluded] = [
        parseGlob,
        (one: string) => parseIncludes([one]),
        (one: string) => parseExcludes([one]),
      ].map((parse) => allow([Fault], () => parse(glob))?.(path, name, false));
      if (plain === true) requireSame("what fits", [included ?? true, excluded ?? true], [true, true]);
      if (/^[\w .-]{1,1000}$/.test(glob)) requireSame("itself", parseGlob(glob)(glob, glob, false), true);
    },
  },
  patterns: {
    seeds: [
      "TODO|FIXME\n// TODO: x",
      "^(?:a+|b{2,3}?)\\d[^x-z]$\naa1c",
      "(\\w+)\\s[\\d_]*?\\b.\na b_1",
      "(?i)k\\x{41}\\pL\nKAa",
    ],
    words: "( ) (?: [ ] [^ { } {2} {0,3} * + ? *? | ^ $ . \\d \\s \\W \\b \\\\ \\] - é 😀 K ſ \t _ \\",
    async read(text) {
      const { RE2JS } = load("filesystem", "re2js") as { readonly RE2JS: Re2 };
      const [pattern, rest] = split(text);
      const line = split(rest)[0];
      // What the tools take.
      if (pattern.length > 1000) return;
      for (const isCaseSensitive of [true, false]) {
        const matcher = await createExpressionMatcher(pattern, isCaseSensitive).catch((error: unknown) => {
          if (!(error instanceof Fault)) throw error;
        });
        if (!matcher) continue;
        const judge = RE2JS.compile(pattern, isCaseSensitive ? 0 : RE2JS.CASE_INSENSITIVE).matcher(line);
        const expected = judge.find() ? judge.start() : -1;
        requireSame("place", matcher.find(line, 0), expected);
        const mayMatch = matcher.mayMatch(line) && (matcher.mayMatchBytes?.(Buffer.from(line)) ?? true);
        if (expected !== -1 && line.isWellFormed()) requireSame("may match", mayMatch, true);
      }
    },
  },
  sql: {
    seeds: [
      "SELECT id, \"name\" FROM p WHERE n IN (1, x'ff', 0x1F) -- all\n;",
      "WITH RECURSIVE k(x) AS MATERIALIZED (SELECT 1 UNION ALL SELECT x + 1 FROM k) SELECT * FROM k LIMIT ?1",
      "INSERT INTO p (name, n) VALUES ('it''s', 1), ('b', 22) ON CONFLICT DO UPDATE SET n = 1 RETURNING id",
      'EXPLAIN QUERY PLAN UPDATE [a b] SET x = `y` || :a /* c */ WHERE "x" ->> 1 = 1e5',
      "CREATE TRIGGER t AFTER INSERT ON p BEGIN DELETE FROM p WHERE id = CASE WHEN 1 THEN 2 END; END",
    ],
    words:
      'SELECT WITH AS ( ) , ; \' " ` [ ] -- /* */ \n INSERT REPLACE INTO VALUES DELETE FROM p "a b" UPDATE SET RETURNING EXPLAIN PRAGMA user_version ATTACH BEGIN END ? ?1 :a $a @a # x\' 0x 1e5 1_000 . \uFEFF \u00a0 é || ->>',
    read(sql) {
      shapeOf(sql);
      for (const access of ["read", "explain", "write"] as const) {
        const admitted = allow([Fault], () => admit(sql, { access, allowDdl: true }));
        if (!admitted) continue;
        const prepared = prepare(admitted.text);
        const isWhole =
          typeof prepared !== "string" || !/more than one statement|no statements/.test(prepared);
        requireSame("one statement", isWhole, true);
        if (access === "read" && typeof prepared !== "string") requireSame("reads", prepared.readonly, true);
        const { text, values } = liftValues(admitted);
        if (values.length > 0) requireSame("lifted", typeof prepare(text), typeof prepared);
      }
    },
  },
  config: {
    seeds: [
      '[core]\n\tbare = false\n[remote "a b"]\n\turl = "x y" # c\n',
      '[Old.Style "q\\"q"]\nkey\nk-2 = a\\\n b\\n\\t"c;d"e\r\n',
    ],
    words: '[core] [ ] [a.B "c"] " \\ \\" \\\\ \n \r \r\n \t # ; = name true \uFEFF é \u2028 \0 .',
    read(text) {
      const settings = allow([Fault], () => parseConfig(text))?.map((one) => `${toName(one)}\n${one.value}`);
      // To refuse what git would read is safe. Git reads no NUL, and this server no file that has one.
      if (!settings || settings.length > 1000 || text.includes("\0") || !text.isWellFormed()) return;
      const { status, stdout } = spawnSync("git", ["config", "--file", "-", "--list", "-z"], {
        input: text,
        encoding: "utf8",
      });
      const entries = stdout.split("\0").slice(0, -1);
      if (status === 0)
        requireSame(
          "as git",
          settings,
          entries.map((each) => (each.includes("\n") ? each : `${each}\ntrue`)),
        );
    },
  },
  html: {
    seeds: [
      "<!doctype html><title>T</title><main><h1 id=a>H</h1><p>One <b>two</b> <a href=/x>three</a></main>",
      "<style>.h{display:none}@media screen{p>.k:is(a,b){visibility:hidden}}</style><p class=h>x<p class=k style='opacity:0;clip:rect(0,0,0,0)'>y",
      "<table><tr><th colspan=2>a<td>b</table><ul><li>1<ol><li>2</ol></ul><pre>c</pre><blockquote>q</blockquote><svg><text>s",
      '<div hidden><template shadowrootmode=open><slot></slot></template>z</div><script type="application/ld+json">{"a":1}</script><img alt=i src=x>',
    ],
    words:
      '< > </ /> <p> </p> <div> <b> </b> <table> <td> <li> <style> </style> <script> <!-- --> <![CDATA[ & &amp; &#0; style=" class=a hidden display:none :not( :has( > + ~ calc( var(--a) --a: @media @import url( { } ; ! important * # [a] rotate( 1px 1e9 % " \'',
    async read(html) {
      const want = (["main", "full", "article"] as const)[html.length % 3] ?? "main";
      await runJob("html", { html, url: "https://example.com/", want, isXml: html.length % 5 === 0 }).catch(
        (error: unknown) => {
          // Says that a page is too large or too deep.
          if (!/^RangeError: The (?:page|elements)/.test(String(error))) throw error;
        },
      );
    },
  },
  feeds: {
    seeds: [
      '<rss version="2.0"><channel><title>T</title><item><title>a &amp; b</title><link>/x</link><pubDate>Mon, 01 Jan 2024 00:00:00 GMT</pubDate><description>&lt;p>d</description></item></channel></rss>',
      '<feed xmlns="http://www.w3.org/2005/Atom" xml:base="/b/"><title type="html">T</title><entry><link rel="alternate" href="y"/><updated>2024-01-01</updated><author><name>n</name></author><content type="xhtml"><div>c</div></content></entry></feed>',
      '{"version":"https://jsonfeed.org/version/1.1","title":"T","items":[{"id":"1","url":"z","content_html":"<b>x</b>","authors":[{"name":"n"}]}]}',
      "<urlset><url><loc>https://a/b</loc><lastmod>2024</lastmod></url></urlset>",
      "https://a/b\nhttps://a/c\n",
    ],
    words:
      '< > </ /> <item> </item> <entry> <link> <![CDATA[ ]]> <!DOCTYPE <!ENTITY &a; &amp; <title/> <sitemapindex> <sitemap> <loc> xmlns:dc="x" <dc:creator> {"items":[ null 1 [] {} , : "url": " \'',
    read(text) {
      for (const read of [(given: string) => readFeed(given, "https://example.com/feed"), readSitemap]) {
        try {
          read(text);
        } catch (error) {
          refused(error);
        }
      }
    },
  },
  csv: {
    seeds: [
      'a,b\n1,"x ""y"", z"\r\n,\n',
      "a;b\n1,5;'it''s'\n",
      '{"a":1}\n\n{"b":[]}\n',
      '[{"a":"]"},{"b":null}]',
    ],
    words: ", ; \t | \" ' \"\" \n \r \r\n 1,5 1.105,50 x'00' { } [ ] : \\ \uFEFF null",
    async read(text) {
      const readers: readonly Reader[] = [parseCsv, isJsonArray(text) ? parseJsonArray : parseJsonLines];
      for (const read of readers) {
        requireSame("in pieces", await collect(read, cut(text)), await collect(read, [text]));
      }
      allow([Fault], () => guessDialect(text, {}));
    },
  },
  cursors: {
    seeds: [
      toCursor(7, "a"),
      toCursor([7, "b-c"], "a"),
      toCursor({ after: "é" }, "a"),
      toListCursor("tools", { position: 7, name: "n" }),
    ],
    words: "~ _ . - A= == 1 zz 9007199254740993 W10 __proto__",
    read(cursor) {
      const isAny = (_value: unknown): _value is never => true;
      const place = allow([Fault], () => fromCursor(cursor, "a", isAny));
      if (place !== undefined) requireSame("again", fromCursor(toCursor(place, "a"), "a", isAny), place);
      const list = allow([ProtocolError], () => fromListCursor("tools", cursor));
      if (list) requireSame("again", fromListCursor("tools", toListCursor("tools", list)), list);
    },
  },
  xml: {
    seeds: [
      '<?xml version="1.0"?><w:p xmlns:w="u" a="1"><w:t>x &lt; y</w:t><!-- c --><b/></w:p>',
      "<!DOCTYPE a [<!ENTITY e 'x'>]><a>&e;<![CDATA[<b>]]></a>",
    ],
    words:
      "< > </ /> <a> </a> <w:t> & &amp; &#x1F600; &e; <!-- --> <![CDATA[ ]]> <? ?> <!DOCTYPE <!ENTITY \" ' = xmlns= \0",
    read(text) {
      for (const isHtml of [false, true]) {
        allow([DocumentError], () =>
          Array.from(readElements(Buffer.from(text), { isHtml, wanted: isHtml ? [] : ["t", "a"] })),
        );
      }
    },
  },
};
