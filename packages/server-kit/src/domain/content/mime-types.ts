/** Types of text files by extension: the content alone shows only that it is text. */
const TEXT_ENDINGS: { readonly [mimeType: string]: string } = {
  "text/plain": "txt text log",
  "text/markdown": "md markdown mdx",
  "text/html": "html htm xhtml",
  "text/css": "css",
  "text/csv": "csv",
  "text/tab-separated-values": "tsv",
  "text/javascript": "js mjs cjs jsx",
  "text/x-typescript": "ts mts cts tsx",
  "text/x-python": "py pyi",
  "text/x-shellscript": "sh bash zsh fish",
  "text/x-c": "c h",
  "text/x-c++": "cc cpp cxx hh hpp hxx",
  "text/x-rust": "rs",
  "text/x-go": "go",
  "text/x-java": "java",
  "text/x-ruby": "rb",
  "text/x-php": "php",
  "text/x-tex": "tex",
  "text/x-diff": "diff patch",
  "text/calendar": "ics",
  "text/vtt": "vtt",
  "application/json": "json map webmanifest",
  "application/jsonl": "jsonl ndjson",
  "application/x-ipynb+json": "ipynb",
  "application/xml": "xml xsd xsl xslt plist",
  "application/yaml": "yaml yml",
  "application/toml": "toml",
  "application/sql": "sql",
  "application/rtf": "rtf",
  "image/svg+xml": "svg",
};

/** Types of binary files by extension, for content that is unknown or a ZIP archive. */
const BINARY_ENDINGS: { readonly [mimeType: string]: string } = {
  "application/vnd.openxmlformats-officedocument.wordprocessingml.document": "docx",
  "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": "xlsx",
  "application/vnd.openxmlformats-officedocument.presentationml.presentation": "pptx",
  "application/vnd.oasis.opendocument.text": "odt",
  "application/vnd.oasis.opendocument.spreadsheet": "ods",
  "application/vnd.oasis.opendocument.presentation": "odp",
  "application/epub+zip": "epub",
  "application/java-archive": "jar",
  "application/vnd.android.package-archive": "apk",
  "application/zip": "zip whl",
  "application/msword": "doc",
  "application/vnd.ms-excel": "xls",
  "application/vnd.ms-powerpoint": "ppt",
  "application/pdf": "pdf",
  "audio/mpeg": "mp3",
  "audio/aac": "aac",
  "video/mp2t": "ts",
  "video/mpeg": "mpg mpeg",
  "image/x-icon": "ico",
  "application/x-tar": "tar",
  "application/x-brotli": "br",
};

const toTable = (endings: { readonly [mimeType: string]: string }): ReadonlyMap<string, string> =>
  new Map(Object.entries(endings).flatMap(([type, list]) => list.split(" ").map((ending) => [ending, type])));

let textTypes: ReadonlyMap<string, string> | undefined;
let binaryTypes: ReadonlyMap<string, string> | undefined;

const endingOf = (name: string): string => /\.([^./\\]+)$/.exec(name)?.[1]?.toLowerCase() ?? "";

/** The type that the ending of a name stands for, if files of that type are text. */
export const textTypeOf = (name: string): string | undefined =>
  (textTypes ??= toTable(TEXT_ENDINGS)).get(endingOf(name));

/** The same for files that are not text. */
export const binaryTypeOf = (name: string): string | undefined =>
  (binaryTypes ??= toTable(BINARY_ENDINGS)).get(endingOf(name));
