import { toZip } from "./zip.ts";

/** Parts of a file of Office, by their paths, and the relations between them. */
const TYPES = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";

type Related = readonly [id: string, type: string, target: string];

const relate = (...related: readonly Related[]): string =>
  `<Relationships>${related
    .map(
      ([id, type, target]) =>
        `<Relationship Id="${id}" Type="${TYPES}/${type}" Target="${target}"${type === "hyperlink" ? ' TargetMode="External"' : ""}/>`,
    )
    .join("")}</Relationships>`;

const OFFICE = (main: string): (readonly [string, string])[] => [
  ["[Content_Types].xml", "<Types/>"],
  [
    "_rels/.rels",
    relate(["a", "officeDocument", main], ["b", "metadata/core-properties", "docProps/core.xml"]),
  ],
  ["docProps/core.xml", '<cp:p xmlns:cp="c" xmlns:dc="d"><dc:title>The title</dc:title></cp:p>'],
];

/** DOCX with this body, and styles, a list and a note to refer to. `styles`: others. */
export const toDocx = (body: string, styles = ""): Buffer =>
  toZip([
    ...OFFICE("word/document.xml"),
    ["word/document.xml", `<w:document xmlns:w="w" xmlns:r="r"><w:body>${body}</w:body></w:document>`],
    [
      "word/_rels/document.xml.rels",
      relate(
        ["s", "styles", "styles.xml"],
        ["n", "numbering", "numbering.xml"],
        ["f", "footnotes", "footnotes.xml"],
        ["link", "hyperlink", "https://example.com/"],
      ),
    ],
    [
      "word/styles.xml",
      `<w:styles xmlns:w="w">${styles}<w:style w:styleId="H2"><w:name w:val="heading 2"/></w:style><w:style w:styleId="Mine"><w:name w:val="My own"/><w:basedOn w:val="H2"/></w:style><w:style w:styleId="Unseen"><w:name w:val="Unseen"/><w:rPr><w:vanish/></w:rPr></w:style><w:style w:styleId="Aside"><w:basedOn w:val="Unseen"/></w:style></w:styles>`,
    ],
    [
      "word/numbering.xml",
      `<w:numbering xmlns:w="w"><w:abstractNum w:abstractNumId="0"><w:lvl w:ilvl="0"><w:start w:val="3"/><w:numFmt w:val="decimal"/></w:lvl><w:lvl w:ilvl="1"><w:numFmt w:val="bullet"/></w:lvl></w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num></w:numbering>`,
    ],
    [
      "word/footnotes.xml",
      `<w:footnotes xmlns:w="w"><w:footnote w:id="2"><w:p><w:r><w:t>As far as known.</w:t></w:r><w:r><w:rPr><w:vanish/></w:rPr><w:t>unseen</w:t></w:r></w:p>${paragraph("unseen", '<w:pStyle w:val="Aside"/>')}</w:footnote></w:footnotes>`,
    ],
    ["word/vbaProject.bin", "Sub AutoOpen()"],
  ]);

export const paragraph = (text: string, properties = "", run = ""): string =>
  `<w:p><w:pPr>${properties}</w:pPr><w:r><w:rPr>${run}</w:rPr><w:t>${text}</w:t></w:r></w:p>`;

export interface Sheet {
  readonly name: string;
  readonly state?: string;
  readonly xml: string;
}

/** XLSX with these sheets. Style 1 is a date, 2 a share, 3 a time of one's own. */
export const toXlsx = (sheets: readonly Sheet[], strings: readonly string[] = []): Buffer =>
  toZip([
    ...OFFICE("xl/workbook.xml"),
    [
      "xl/workbook.xml",
      `<workbook xmlns:r="r"><sheets>${sheets.map(({ name, state = "visible" }, index) => `<sheet name="${name}" sheetId="${index + 1}" state="${state}" r:id="s${index}"/>`).join("")}</sheets></workbook>`,
    ],
    [
      "xl/_rels/workbook.xml.rels",
      relate(
        ["strings", "sharedStrings", "sharedStrings.xml"],
        ["styles", "styles", "styles.xml"],
        ...sheets.map((_, index): Related => [`s${index}`, "worksheet", `/xl/sheet${index}.xml`]),
      ),
    ],
    [
      "xl/sharedStrings.xml",
      `<sst>${strings.map((text) => `<si><r><t>${text}</t></r></si>`).join("")}</sst>`,
    ],
    [
      "xl/styles.xml",
      `<styleSheet><numFmts><numFmt numFmtId="164" formatCode="[h]:mm"/></numFmts><cellXfs><xf/><xf numFmtId="14"/><xf numFmtId="9"/><xf numFmtId="164"/></cellXfs></styleSheet>`,
    ],
    ...sheets.map(({ xml }, index) => [`xl/sheet${index}.xml`, `<worksheet>${xml}</worksheet>`] as const),
  ]);

export interface Slide {
  readonly attributes?: string;
  readonly xml: string;
  readonly notes?: string;
}

const toShape = (kind: string, text: string, attributes = ""): string =>
  `<p:sp><p:nvSpPr><p:cNvPr id="1" name="x" ${attributes}/><p:nvPr>${kind}</p:nvPr></p:nvSpPr><p:txBody>${text}</p:txBody></p:sp>`;

export const shape = {
  title: (text: string): string =>
    toShape('<p:ph type="title"/>', `<a:p><a:r><a:t>${text}</a:t></a:r></a:p>`),
  body: (text: string, attributes = ""): string =>
    toShape('<p:ph idx="1"/>', `<a:p><a:pPr lvl="0"/><a:r><a:t>${text}</a:t></a:r></a:p>`, attributes),
  number: (text: string): string =>
    toShape('<p:ph type="sldNum"/>', `<a:p><a:r><a:t>${text}</a:t></a:r></a:p>`),
  notes: (text: string): string => toShape('<p:ph type="body"/>', `<a:p><a:r><a:t>${text}</a:t></a:r></a:p>`),
};

export const toPptx = (slides: readonly Slide[]): Buffer =>
  toZip([
    ...OFFICE("ppt/presentation.xml"),
    [
      "ppt/presentation.xml",
      `<p:presentation xmlns:p="p" xmlns:r="r"><p:sldIdLst>${slides.map((_, index) => `<p:sldId id="${256 + index}" r:id="s${index}"/>`).join("")}</p:sldIdLst></p:presentation>`,
    ],
    [
      "ppt/_rels/presentation.xml.rels",
      relate(...slides.map((_, index): Related => [`s${index}`, "slide", `slides/slide${index}.xml`])),
    ],
    ...slides.flatMap(({ xml, attributes = "", notes = "" }, index) => [
      [
        `ppt/slides/slide${index}.xml`,
        `<p:sld xmlns:p="p" xmlns:a="a" ${attributes}><p:cSld><p:spTree>${xml}</p:spTree></p:cSld></p:sld>`,
      ] as const,
      [
        `ppt/slides/_rels/slide${index}.xml.rels`,
        relate(["n", "notesSlide", `../notesSlides/n${index}.xml`]),
      ] as const,
      [
        `ppt/notesSlides/n${index}.xml`,
        `<p:notes xmlns:p="p" xmlns:a="a"><p:cSld><p:spTree>${notes}</p:spTree></p:cSld></p:notes>`,
      ] as const,
    ]),
  ]);

const SPACES =
  'xmlns:office="o" xmlns:text="t" xmlns:style="s" xmlns:table="b" xmlns:xlink="x" xmlns:manifest="m"';

/** ODT with this text. The style U hides, the list style N counts. */
export const toOdt = (text: string, manifest = ""): Buffer =>
  toZip([
    ["mimetype", "application/vnd.oasis.opendocument.text"],
    ["META-INF/manifest.xml", `<manifest:manifest ${SPACES}>${manifest}</manifest:manifest>`],
    [
      "content.xml",
      `<office:document-content ${SPACES}><office:automatic-styles><style:style style:name="U"><style:text-properties text:display="none"/></style:style><text:list-style style:name="N"><text:list-level-style-number/></text:list-style></office:automatic-styles><office:body><office:text>${text}</office:text></office:body></office:document-content>`,
    ],
  ]);

export const toEpub = (chapters: readonly string[]): Buffer =>
  toZip([
    ["mimetype", "application/epub+zip"],
    ["META-INF/container.xml", '<container><rootfile full-path="book/a.opf"/></container>'],
    [
      "book/a.opf",
      `<package xmlns:dc="d"><metadata><dc:title>The book</dc:title></metadata><manifest>${chapters.map((_, index) => `<item id="c${index}" href="c%20${index}.xhtml"/>`).join("")}</manifest><spine>${chapters.map((_, index) => `<itemref idref="c${index}"/>`).join("")}</spine></package>`,
    ],
    ...chapters.map(
      (body, index) =>
        [`book/c ${index}.xhtml`, `<html><head><title>x</title></head><body>${body}</body></html>`] as const,
    ),
  ]);
