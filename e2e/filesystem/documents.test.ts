import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { deflateSync } from "node:zlib";

import { callTool, type Fields, textOf } from "@suite/check/wires";
import { beforeAll, describe, expect, it } from "vitest";

import { toPdf, toPdfOf } from "../fetch/web.ts";
import { errorOf } from "../support/calls.ts";
import { paragraph, shape, toDocx, toEpub, toOdt, toPptx, toXlsx } from "../support/office-files.ts";
import { createPlace } from "../support/place.ts";
import { FILESYSTEM } from "../support/servers.ts";
import { Wire } from "../support/wire.ts";
import { toZip } from "../support/zip.ts";
import { openFiles } from "./program.ts";

const numbered = (level: number): string =>
  `<w:numPr><w:ilvl w:val="${level}"/><w:numId w:val="1"/></w:numPr>`;

const WORD = toDocx(
  [
    paragraph("Summary", '<w:pStyle w:val="Mine"/>'),
    paragraph("# no heading"),
    paragraph("Third", numbered(0)),
    paragraph("inner", numbered(1)),
    paragraph("Fourth", numbered(0)),
    paragraph("unseen", "", "<w:vanish/>"),
    paragraph("unseen", "", '<w:rStyle w:val="Unseen"/>'),
    paragraph("unseen", '<w:pStyle w:val="Aside"/>'),
    paragraph("tiny", "", '<w:sz w:val="2"/>'),
    paragraph("seen aside", '<w:pStyle w:val="Aside"/>', '<w:vanish w:val="0"/>'),
    paragraph("unseen", '<w:pStyle w:val="Aside"/>', '<w:rStyle w:val="Unseen"/>'),
    paragraph("seen", "", '<w:vanish w:val="0"/>'),
    '<w:p><w:r><w:t xml:space="preserve">See </w:t></w:r><w:hyperlink r:id="link"><w:r><w:t>this</w:t></w:r></w:hyperlink><w:r><w:footnoteReference w:id="2"/></w:r><w:del><w:r><w:delText>gone</w:delText></w:r></w:del></w:p>',
    `<w:tbl><w:tr><w:tc>${paragraph("Name")}</w:tc><w:tc>${paragraph("Sum")}${paragraph("in | all")}</w:tc></w:tr><w:tr><w:tc><w:tcPr><w:gridSpan w:val="2"/></w:tcPr>${paragraph("Both")}</w:tc></w:tr></w:tbl>`,
  ].join(""),
);

const SHEETS = toXlsx(
  [
    {
      name: "Sales",
      xml: `<cols><col min="7" max="7" hidden="1"/></cols><sheetData><row r="2"><c r="B2" t="s"><v>0</v></c><c r="C2" t="inlineStr"><is><t>When</t></is></c><c r="D2" t="str"><v>Share</v></c></row><row r="3" hidden="1"><c r="B3"><v>666</v></c></row><row r="5"><c r="B5"><f>0.1+0.2</f><v>0.30000000000000004</v></c><c r="C5" s="1"><v>46000</v></c><c r="D5" s="2"><v>0.125</v></c><c r="E5" s="3"><v>1.5</v></c><c r="F5" t="b"><v>1</v></c><c r="G5"><v>7</v></c></row></sheetData>`,
    },
    {
      name: "Secret",
      state: "veryHidden",
      xml: '<sheetData><row><c t="str"><v>unseen</v></c></row></sheetData>',
    },
  ],
  ["Amount"],
);

const WIDE = toXlsx(
  [{ name: "Wide", xml: `<sheetData><row r="1">${"<c><v>1</v></c>".repeat(300)}</row></sheetData>` }],
  [],
);

const SLIDES = toPptx([
  {
    xml: shape.title("Start") + shape.body("One") + shape.body("Two") + shape.number("1"),
    notes: shape.notes("Say hello."),
  },
  { attributes: 'show="0"', xml: shape.title("unseen") },
  { xml: shape.body("Seen") + shape.body("unseen", 'hidden="1"') },
]);

const TEXT = toOdt(
  '<text:tracked-changes><text:p>gone</text:p></text:tracked-changes><text:h text:outline-level="2">Head</text:h><text:p>a<text:s text:c="2"/>b<text:line-break/>c <text:span text:style-name="U">unseen</text:span></text:p><text:list text:style-name="N"><text:list-item><text:p>first</text:p></text:list-item><text:list-item><text:p>second</text:p><text:list><text:list-item><text:p>inner</text:p></text:list-item></text:list></text:list-item></text:list><table:table><table:table-row><table:table-cell><text:p>x</text:p></table:table-cell><table:table-cell><text:p>y</text:p></table:table-cell></table:table-row></table:table>',
);

const BOOK = toEpub([
  "<h1>One</h1><p>It was&nbsp;dark.<br/>Very.</p><p hidden>unseen</p><p style='color: red; display:none'>unseen</p>",
  "<h1>Two</h1><ul><li></li><li>a</li></ul><p>after</p><pre>if x:\n    y</pre><script>unseen</script>",
]);

/** Files, with all that a model is to read of them and what it is told besides. */
const DOCUMENTS: readonly (readonly [name: string, content: Buffer, text: string, facts: Fields])[] = [
  [
    "word.docx",
    WORD,
    String.raw`## Summary

\# no heading

3. Third
  - inner
4. Fourth

seen aside

seen

See [this](https://example.com/) [note: As far as known.]

| Name | Sum<br>in \| all |
| --- | --- |
| Both |  |`,
    { format: "docx", title: "The title", hidden: 5 },
  ],
  [
    "defaults.docx",
    toDocx(
      paragraph("unseen") + paragraph("seen", "", '<w:vanish w:val="0"/>'),
      "<w:docDefaults><w:rPrDefault><w:rPr><w:vanish/></w:rPr></w:rPrDefault></w:docDefaults>",
    ),
    "seen",
    { hidden: 1 },
  ],
  [
    "usual.docx",
    toDocx(
      paragraph("unseen") + paragraph("seen", '<w:pStyle w:val="Mine"/>'),
      '<w:style w:type="paragraph" w:default="1" w:styleId="Usual"><w:rPr><w:vanish/></w:rPr></w:style>',
    ),
    "## seen",
    { hidden: 1 },
  ],
  [
    "tables.docx",
    toDocx(
      `<w:tbl><w:tblPr><w:tblStyle w:val="Hush"/></w:tblPr><w:tr><w:tc>${paragraph("unseen")}${paragraph("seen", "", '<w:vanish w:val="0"/>')}</w:tc></w:tr></w:tbl>${paragraph("after")}`,
      '<w:style w:type="table" w:styleId="Hush"><w:rPr><w:vanish/></w:rPr></w:style>',
    ),
    "| seen |\n| --- |\n\nafter",
    { hidden: 1 },
  ],
  [
    "sheets.bin",
    SHEETS,
    `## Sheet 1: Sales

Cells B2:F5

| Amount | When | Share |  |  |
| --- | --- | --- | --- | --- |
| 0.3 | 2025-12-09 | 12.5% | 36:00 | TRUE |

## Sheet 2 (hidden)`,
    { format: "xlsx", title: "The title", pages: 2, unit: "sheet", hidden: 3 },
  ],
  [
    "wide.xlsx",
    WIDE,
    `## Sheet 1: Wide

Cells A1:IV1, without 44 columns further right

|${" 1 |".repeat(256)}
|${" --- |".repeat(256)}`,
    { format: "xlsx", title: "The title", pages: 1, unit: "sheet" },
  ],
  [
    "slides.pptx",
    SLIDES,
    `## Slide 1: Start

- One
- Two

Notes:

Say hello.

## Slide 2 (hidden)

## Slide 3

- Seen`,
    { format: "pptx", title: "The title", pages: 3, unit: "slide", hidden: 2 },
  ],
  [
    "text.odt",
    TEXT,
    `## Head

a  b
c

1. first
2. second
  - inner

| x | y |
| --- | --- |`,
    { format: "odt", hidden: 1 },
  ],
  [
    "book.epub",
    BOOK,
    `## Chapter 1

### One

It was dark.
Very.

## Chapter 2

### Two

- a

after

\`\`\`
if x:
    y
\`\`\``,
    { format: "epub", title: "The book", pages: 2, unit: "chapter", hidden: 2 },
  ],
  [
    "paper.pdf",
    toPdf(["First", "# Second"]),
    "## Page 1\n\nFirst\n\n## Page 2\n\n\\# Second",
    { format: "pdf", pages: 2, unit: "page" },
  ],
];

const root = createPlace();
beforeAll(() => {
  for (const [name, content] of DOCUMENTS) writeFileSync(join(root, name), content);
});

const read = async (wire: Wire, args: Fields): Promise<Fields> => {
  const answer = await callTool(wire, "read_text_file", args);
  return (answer.result?.["structuredContent"] ?? {}) as Fields;
};

describe("documents", () => {
  it("are read as Markdown, without what a person does not see", async () => {
    const wire = await openFiles([root]);
    for (const [path, , text, document] of DOCUMENTS)
      expect.soft(await read(wire, { path }), path).toMatchObject({ text, document, truncated: false });
    expect(await wire.end()).toMatchObject({ code: 0 });
  });

  it("are read in part, and on from where it stopped", async () => {
    const wire = await openFiles([root]);
    expect((await read(wire, { path: "book.epub", pages: "2" }))["text"]).toMatch(/^## Chapter 2\n\n### Two/);
    expect((await read(wire, { path: "paper.pdf", pages: "1-9" }))["text"]).toContain("## Page 2");
    expect((await read(wire, { path: "word.docx", start_line: 5, end_line: 6 }))["text"]).toBe(
      "3. Third\n  - inner\n",
    );
    const long = toPdf(Array.from({ length: 40 }, (_, index) => `Page number ${index} ${"x".repeat(60)}`));
    writeFileSync(join(root, "long.pdf"), long);
    const first = await read(wire, { path: "long.pdf", pages: "3-40", max_bytes: 1000 });
    expect(first).toMatchObject({ truncated: true, document: { pages: 40 } });
    expect(first["note"]).toMatch(/start_line: \d+, pages: "3-40"/);
    const cursor = first["next_cursor"];
    const rest = await read(wire, { path: "long.pdf", pages: "3-40", cursor });
    expect(`${String(first["text"])}${String(rest["text"])}`).toMatch(/^## Page 3\n[^]*Page number 39 x+$/);
    // Positions in another text.
    for (const pages of [undefined, "4-40"]) {
      const wrong = errorOf(await callTool(wire, "read_text_file", { path: "long.pdf", cursor, pages }));
      expect(wrong.code).toBe("invalid_input");
    }
    const missing = await callTool(wire, "read_text_file", { path: "paper.pdf", pages: "3" });
    expect(textOf(missing)).toContain("has 2 pages: there is no page 3");
    expect(errorOf(await callTool(wire, "read_text_file", { path: "paper.pdf", pages: "2-1" })).code).toBe(
      "invalid_input",
    );
  });

  it("are searched if that is wanted, in the lines that are read", async () => {
    const wire = await openFiles([root]);
    const plain = await callTool(wire, "search_content", { pattern: "Seen", ignore_case: true });
    expect(textOf(plain)).toContain("documents: true");
    const inside = await callTool(wire, "search_content", {
      pattern: "Second",
      documents: true,
      ignore_case: true,
    });
    expect(inside.result?.["structuredContent"]).toMatchObject({
      files: [
        { path: "paper.pdf", matches: [{ line: 7, text: String.raw`\# Second` }] },
        { path: "text.odt", matches: [{ line: 7, text: "2. second" }] },
      ],
    });
    writeFileSync(
      join(root, "locked.docx"),
      toZip([["mimetype", "application/epub+zip"]], { isEncrypted: true }),
    );
    const unread = await callTool(wire, "search_content", {
      path: "locked.docx",
      pattern: "x",
      documents: true,
    });
    expect(textOf(unread)).toContain("locked.docx: it is encrypted");
  });

  it("say what to install where nothing that reads them is", async () => {
    const [node = "", program = ""] = FILESYSTEM;
    const folder = createPlace();
    cpSync(dirname(program), folder, { recursive: true, filter: (path) => !path.endsWith(".map") });
    const wire = await Wire.open([node, join(folder, "main.js"), root], { revision: "2026-07-28" });
    for (const [tool, args] of [
      ["read_text_file", { path: "word.docx" }],
      ["search_content", { pattern: "x", documents: true }],
    ] as const) {
      const { code, hint } = errorOf(await callTool(wire, tool, args));
      expect
        .soft([code, hint], tool)
        .toEqual(["unsupported", expect.stringContaining("-p @suite/documents")]);
    }
    const raw = await read(wire, { path: "word.docx", encoding: "latin1" });
    expect(raw["text"]).toContain("PK");
  });
});

/** Files made to harm, or broken, with what is said of them. */
const HOSTILE: readonly (readonly [name: string, content: () => Buffer, says: RegExp])[] = [
  [
    "more than it says",
    () => toZip([["mimetype", "x".repeat(50_000_000)]], { size: 10 }),
    /cannot be unpacked/,
  ],
  ["as much as it says", () => toZip([["mimetype", Buffer.alloc(200_000_000)]]), /unpacks to more/],
  ["too many parts", () => toZip([["mimetype", "x"]], { count: 60_000 }), /unpacks to more/],
  ["parts that are not there", () => toZip([["mimetype", "x"]], { count: 9000 }), /damaged/],
  [
    "two of one name",
    () =>
      toZip([
        ["mimetype", "x"],
        ["mimetype", "y"],
      ]),
    /two parts have one name/,
  ],
  ["cut off", () => WORD.subarray(0, WORD.length / 2), /damaged or incomplete/],
  ["an empty body", () => toZip([["[Content_Types].xml", ""]]), /not text but/],
  ["no document", () => toZip([["../../etc/passwd", "x"]]), /not text but/],
  ["entities", () => toDocx('<!DOCTYPE x [<!ENTITY a "b">]>&a;'), /not well-formed/],
  ["a declaration without end", () => toDocx(`<!${"a YE ".repeat(100_000)}`), /not well-formed/],
  ["deep", () => toDocx("<w:x>".repeat(100_000)), /nested too deeply/],
  ["locked ODT", () => toOdt("", "<manifest:encryption-data/>"), /is encrypted/],
  [
    "locked",
    () => Buffer.concat([Buffer.from("d0cf11e0a1b11ae1", "hex"), Buffer.from("EncryptedPackage", "utf16le")]),
    /is encrypted/,
  ],
  ["old", () => Buffer.from("d0cf11e0a1b11ae1", "hex"), /before 2007/],
  ["broken PDF", () => Buffer.from("%PDF-1.4\nnothing"), /damaged or incomplete/],
];

it("hostile and broken documents are refused with the reason, and others are still read", async () => {
  const place = createPlace();
  const wire = await openFiles([place]);
  for (const [name, content, says] of HOSTILE) {
    writeFileSync(join(place, "it"), content());
    const answer = await callTool(wire, "read_text_file", { path: "it" });
    expect.soft(errorOf(answer).code, name).toMatch(/^(?:unsupported|too_large)$/);
    expect.soft(textOf(answer), name).toMatch(says);
  }
  writeFileSync(join(place, "fine.docx"), WORD);
  expect((await read(wire, { path: "fine.docx" }))["text"]).toContain("Fourth");
  expect(await wire.end()).toMatchObject({ code: 0 });
});

it("a document with a page that takes too long makes way for a new one, and is given up", async () => {
  const place = createPlace();
  const wire = await openFiles(["--timeout", "4s", place]);
  const page = deflateSync("q ".repeat(3_000_000)).toString("latin1");
  const slowPdf = toPdfOf([
    "<< /Type /Catalog /Pages 2 0 R >>",
    "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
    "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] /Contents 4 0 R >>",
    `<< /Length ${page.length} /Filter /FlateDecode >>\nstream\n${page}\nendstream`,
  ]);
  expect(slowPdf.length).toBeLessThan(10_000);
  writeFileSync(join(place, "slow.pdf"), slowPdf);
  writeFileSync(join(place, "fine.docx"), WORD);
  const slow = callTool(wire, "read_text_file", { path: "slow.pdf" });
  const fine = read(wire, { path: "fine.docx" });
  expect((await fine)["text"]).toContain("Fourth");
  expect(errorOf(await slow).code).toBe("timeout");
  // Long before the rest of its time is over.
  expect(textOf(await slow)).toMatch(/was given up at page 1, which took longer than 1333 ms/);
});

it("a sheet that claims all cells, or has a million, is read as far as there is room", async () => {
  const place = createPlace();
  const wire = await openFiles([place]);
  const corner =
    '<dimension ref="A1:XFD1048576"/><sheetData><row r="1"><c r="A1"><v>1</v></c></row><row r="1048576"><c r="XFD1048576"><v>2</v></c></row></sheetData>';
  const rows = `<row>${"<c><v>7</v></c>".repeat(100)}</row>`.repeat(10_000);
  writeFileSync(join(place, "corner.xlsx"), toXlsx([{ name: "a", xml: corner }]));
  writeFileSync(
    join(place, "million.xlsx"),
    toXlsx([
      { name: "a", xml: `<sheetData>${rows}</sheetData>` },
      { name: "b", xml: corner },
    ]),
  );
  expect((await read(wire, { path: "corner.xlsx" }))["text"]).toContain("| 1 |  |\n| --- | --- |\n|  | 2 |");
  const million = await read(wire, { path: "million.xlsx" });
  expect(million).toMatchObject({ truncated: true, document: { pages: 2, cut_at: 1 } });
  expect(million["note"]).toContain("from sheet 1 on");
  expect((await read(wire, { path: "million.xlsx", pages: "2" }))["text"]).toContain("|  | 2 |");
  expect(readFileSync(join(place, "million.xlsx")).length).toBeLessThan(500_000);
});
