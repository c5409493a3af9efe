import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

import { expect } from "vitest";

import { openFetch, reaching } from "../fetch/program.ts";
import { openSite } from "../fetch/site.ts";
import { openFiles } from "../filesystem/program.ts";
import { openGit, Plain } from "../git/program.ts";
import { startDescribedApi } from "../github/described-api.ts";
import { openGithub } from "../github/program.ts";
import { ANSWERS } from "../github/request-rows.ts";
import { createDatabase, withDirect } from "../sqlite/direct.ts";
import { openSqlite } from "../sqlite/program.ts";
import { undoAfterTest } from "../support/afterwards.ts";
import { createPlace } from "../support/place.ts";
import type { Wire } from "../support/wire.ts";
import type { ServerName } from "./skill.ts";

/** What a skill's calls work on. */
interface Scene {
  readonly wire: Wire;
  /** What stands for a place in the calls, and what is there in this scene. */
  readonly places?: readonly (readonly [shown: string, here: string])[];
  /** What must be true after the last call. */
  readonly check?: () => void;
}

export interface SkillScene {
  readonly server: ServerName;
  readonly skill: string;
  readonly open: () => Promise<Scene>;
}

function writeFiles(files: Readonly<Record<string, string>>): string {
  const folder = createPlace();
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
  return folder;
}

async function openCode(): Promise<Scene> {
  const folder = writeFiles({
    "src/orders.ts": "/** Reads one. */\nexport const parseOrder = (text: string) => JSON.parse(text);\n",
    "src/all.ts":
      'import { parseOrder } from "./orders.ts";\nexport const parseOrders = (all) => all.map(parseOrder);\n',
    "src/main.ts": 'import { parseOrder } from "./orders.ts";\n',
    "docs/guide.md": "Call parseOrder first.\n",
    "src/other.ts": "export const parseOrderLine = 1;\n",
  });
  const read = (path: string): string => readFileSync(join(folder, path), "utf8");
  return {
    wire: await openFiles([folder]),
    check: () => {
      expect(read("src/all.ts")).toBe(
        'import { readOrder } from "./read-order.ts";\nexport const parseOrders = (all) => all.map(readOrder);\n',
      );
      expect(read("src/read-order.ts")).toContain("export const readOrder =");
      expect(read("docs/guide.md")).toBe("Call readOrder first.\n");
      expect(read("src/other.ts")).toContain("parseOrderLine");
      expect(existsSync(join(folder, "src/orders.ts"))).toBe(false);
    },
  };
}

async function openFullDisk(): Promise<Scene> {
  const folder = writeFiles({
    ".gitignore": "build\n",
    "build/app.js": "x".repeat(2_000_000),
    "exports/old-report.csv": "a,b\n".repeat(50_000),
    "exports/2024.csv": "c,d\n".repeat(50_000),
    "exports/2025.csv": "c,d\n".repeat(50_000),
    "README.md": "About\n",
  });
  return {
    wire: await openFiles(["--all-tools", folder]),
    check: () => {
      const has = (path: string): boolean => existsSync(join(folder, path));
      expect([has("build"), has("exports/old-report.csv"), has("README.md")]).toEqual([false, false, true]);
      expect([has("archive/2024.csv"), has("archive/2025.csv")]).toEqual([true, true]);
    },
  };
}

const lines = (count: number, changed: Readonly<Record<number, string>> = {}): string =>
  Array.from({ length: count }, (_, index) => `${changed[index + 1] ?? `line ${index + 1}`}\n`).join("");

async function openMess(): Promise<Scene> {
  const plain = Plain.init();
  plain.commit("begin", { "src/orders.ts": lines(40), "docs/guide.md": "Old\n" });
  plain.write("src/orders.ts", lines(40, { 3: "needs a customer", 30: "names the field" }));
  plain.write("docs/guide.md", "New\n");
  plain.write("docs/new.md", "More\n");
  return {
    wire: await openGit([plain.root]),
    check: () => {
      expect(plain.git("status", "--porcelain")).toBe("");
      expect(plain.git("log", "--format=%s", "--name-only").split(/\n+/)).toEqual([
        "Name the field that is missing",
        "src/orders.ts",
        "Refuse orders without a customer",
        "src/orders.ts",
        "Explain how orders are read",
        "docs/guide.md",
        "docs/new.md",
        "begin",
        "docs/guide.md",
        "src/orders.ts",
      ]);
      expect(plain.git("show", "HEAD~1")).toContain("+needs a customer");
    },
  };
}

async function openConflict(): Promise<Scene> {
  const plain = Plain.init();
  const prices = (body: string): string => `export const show = ${body};\n`;
  plain.commit("begin", { "src/prices.ts": prices("(price) => price"), "package-lock.json": "1\n" });
  plain.git("switch", "-q", "-c", "feature");
  plain.commit("add a currency", {
    "src/prices.ts": prices("(price, currency) => `${price} ${currency}`"),
    "package-lock.json": "2\n",
  });
  plain.git("switch", "-q", "main");
  plain.commit("round prices", {
    "src/prices.ts": prices("(price) => price.toFixed(2)"),
    "package-lock.json": "3\n",
  });
  return {
    wire: await openGit([plain.root]),
    check: () => {
      expect(plain.git("log", "-1", "--format=%P").split(" ")).toHaveLength(2);
      expect(readFileSync(join(plain.root, "src/prices.ts"), "utf8")).toBe(
        prices("(price, currency) => `${price.toFixed(2)} ${currency}`"),
      );
      expect(plain.git("status", "--porcelain")).toBe("");
    },
  };
}

async function openLoss(): Promise<Scene> {
  const plain = Plain.init();
  plain.commit("begin", { "src/order.ts": "export const order = 1;\n" });
  plain.commit("refund orders", { "src/refund.ts": "export const refundOrder = 1;\n" });
  plain.git("reset", "-q", "--hard", "HEAD~1");
  return {
    wire: await openGit([plain.root]),
    check: () => {
      expect(plain.git("log", "--format=%s")).toBe("refund orders\nbegin");
      expect(existsSync(join(plain.root, "src/refund.ts"))).toBe(true);
    },
  };
}

const ORDERS = `
  CREATE TABLE orders (id INTEGER PRIMARY KEY, customer TEXT, city TEXT, placed TEXT, total REAL);
  WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 500)
  INSERT INTO orders SELECT i, 'c' || (i % 7), CASE WHEN i % 50 THEN 'Rome' ELSE 'Oslo' END, '2026-01-' || (i % 28), i FROM n;
`;

async function openOrders(check: (file: string) => void): Promise<Scene> {
  const file = createDatabase(join(createPlace(), "orders.db"), ORDERS);
  return { wire: await openSqlite(["--allow-ddl", file]), check: () => check(file) };
}

const openSchema = (): Promise<Scene> =>
  openOrders((file) =>
    withDirect(file, (database) => {
      const names = database.prepare("SELECT DISTINCT name FROM customers ORDER BY 1").pluck().all();
      expect(names).toHaveLength(7);
      const moved = database.prepare("SELECT count(*), sum(total) FROM orders WHERE customer_id > 0").raw();
      expect(moved.get()).toEqual([500, 125_250]);
    }),
  );

const openSlow = (): Promise<Scene> =>
  openOrders((file) =>
    withDirect(file, (database) => {
      const plan = "EXPLAIN QUERY PLAN SELECT * FROM orders WHERE city = ? ORDER BY placed DESC";
      const steps = JSON.stringify(database.prepare(plan).all("Oslo"));
      expect(steps).toContain("USING INDEX orders_by_city");
      expect(steps).not.toContain("TEMP B-TREE");
    }),
  );

async function openDocuments(): Promise<Scene> {
  const site = await openSite();
  const pages = ["/manual", "/manual/old", "/moved"].map(
    (path) => `<url><loc>${site.origin}${path}</loc></url>`,
  );
  site.pages.set("/sitemap.xml", { type: "application/xml", body: `<urlset>${pages.join("")}</urlset>` });
  return { wire: await openFetch(reaching(site)), places: [["https://docs.example.com", site.origin]] };
}

async function openRepository(): Promise<Scene> {
  const api = await startDescribedApi(ANSWERS);
  undoAfterTest(() => api.close());
  const check = (): void => expect(api.violations).toEqual([]);
  return { wire: await openGithub(api.url, ["--toolsets", "all"]), check };
}

export const SCENES: readonly SkillScene[] = [
  { server: "filesystem", skill: "rename-across-code", open: openCode },
  { server: "filesystem", skill: "free-disk-space", open: openFullDisk },
  { server: "git", skill: "split-into-commits", open: openMess },
  { server: "git", skill: "resolve-conflict", open: openConflict },
  { server: "git", skill: "recover-lost-work", open: openLoss },
  { server: "sqlite", skill: "change-schema", open: openSchema },
  { server: "sqlite", skill: "speed-up-query", open: openSlow },
  { server: "fetch", skill: "answer-from-manual", open: openDocuments },
  { server: "fetch", skill: "check-site-links", open: openDocuments },
  { server: "github", skill: "review-pull-request", open: openRepository },
  { server: "github", skill: "explain-ci-failure", open: openRepository },
];
