import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";

import { callFetch, openFetch, reaching } from "../../fetch/program.ts";
import { openWeb } from "../../fetch/web.ts";
import { UsageError } from "../../support/usage.ts";
import type { SuiteOptions } from "../suite.ts";

interface Sample {
  readonly name: string;
  readonly html: string;
  readonly wanted: string;
}

/** Pages with what people say is the article: a clone of scrapinghub/article-extraction-benchmark or of mozilla/readability. */
function readSamples(folder: string): readonly Sample[] {
  if (existsSync(join(folder, "ground-truth.json"))) {
    const truth = JSON.parse(readFileSync(join(folder, "ground-truth.json"), "utf8")) as Record<
      string,
      { articleBody: string }
    >;
    return Object.entries(truth).map(([name, { articleBody }]) => ({
      name,
      html: gunzipSync(readFileSync(join(folder, "html", `${name}.html.gz`))).toString(),
      wanted: articleBody,
    }));
  }
  const pages = join(folder, "test/test-pages");
  if (!existsSync(pages)) throw new UsageError(`${folder} has neither ground-truth.json nor test/test-pages`);
  return readdirSync(pages).map((name) => {
    const read = (file: string): string => readFileSync(join(pages, name, file), "utf8");
    return { name, html: read("source.html"), wanted: read("expected.html").replaceAll(/<[^>]*>/g, " ") };
  });
}

/** Each run of four words, and how often it occurs. */
function countRuns(text: string): ReadonlyMap<string, number> {
  const words = text.match(/[\p{L}\p{N}_]+/gu) ?? [];
  const runs = new Map<string, number>();
  for (let at = 0; at < Math.max(1, words.length - 3); at += 1) {
    const four = words.slice(at, at + 4).join(" ");
    runs.set(four, (runs.get(four) ?? 0) + 1);
  }
  return runs;
}

/** Without addresses, images and the marks of Markdown. */
const toPlain = (markdown: string): string =>
  markdown
    .replaceAll(/\[(?:Image|Frame)[^\]]*\](?:\([^)]*\))?/g, "")
    .replaceAll(/\]\((?:<[^>]*>|[^()\s]*)\)/g, "")
    .replaceAll(/[[\]*`#>|\\]|---|<br>/g, " ");

/** How well `mode: article` finds articles, as the benchmark of scrapinghub measures it. */
export async function run({ source, showProgress }: SuiteOptions): Promise<string> {
  if (source === undefined) throw new UsageError("articles needs the folder of a corpus");
  const web = await openWeb({});
  const wire = await openFetch([...reaching(web), "--ignore-robots-txt"]);
  const samples = readSamples(source);
  let [precision, recall, failed] = [0, 0, 0];
  for (const [index, { name, html, wanted }] of samples.entries()) {
    showProgress(`${index + 1} of ${samples.length}`);
    web.pages.set("/page", { body: html });
    let found = "";
    for (let start: unknown = 0; start !== undefined;) {
      const { structured, isError, text } = await callFetch(wire, "fetch", {
        url: `${web.origin}/page?${name}`,
        mode: "article",
        max_length: 100_000,
        start_index: start,
      });
      if (isError) process.stderr.write(`${name}: ${text.slice(0, 200)}\n`);
      failed += Number(isError);
      found += isError ? "" : String(structured["text"]);
      start = structured["next_index"];
    }
    const [truth, seen] = [countRuns(wanted), countRuns(toPlain(found))];
    const hits = [...seen].reduce((sum, [text, count]) => sum + Math.min(count, truth.get(text) ?? 0), 0);
    const sumOf = (runs: ReadonlyMap<string, number>): number =>
      [...runs.values()].reduce((sum, count) => sum + count, 0);
    precision += hits / sumOf(seen);
    recall += hits / sumOf(truth);
  }
  await wire.end();
  precision /= samples.length;
  recall /= samples.length;
  const f1 = (2 * precision * recall) / (precision + recall);
  return `${samples.length} pages: F1 ${f1.toFixed(3)}, precision ${precision.toFixed(3)}, recall ${recall.toFixed(3)}, failures ${failed}`;
}
