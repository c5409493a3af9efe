import { expect } from "vitest";
import { readText, type FilePage, type TextRequest } from "../../../src/domain/reading/read-text.ts";
import { createScratch, never, type Scratch } from "./scratch.ts";

type How = Omit<TextRequest, "path">;

export interface Reader extends Scratch {
  readonly read: (path: string, how?: How, limit?: number) => Promise<FilePage>;
  /** All pages from one on, each asked for with the cursor of the one before. */
  readonly readOn: (path: string, how: How, limit: number) => Promise<FilePage[]>;
}

/** A root with nothing in it, for the tests of one file, and what reads there. */
export function createReader(): Reader {
  const scratch = createScratch();
  const read: Reader["read"] = async (path, how = {}, limit) =>
    readText(scratch.guard, { path, ...how }, { signal: never }, limit);
  return {
    ...scratch,
    read,
    async readOn(path, how, limit) {
      const pages = [await read(path, how, limit)];
      for (let cursor = pages[0]?.next_cursor; cursor !== undefined; cursor = pages.at(-1)?.next_cursor) {
        expect(pages.length).toBeLessThan(1000);
        pages.push(await read(path, { cursor, encoding: how.encoding }, limit));
      }
      return pages;
    },
  };
}

export const joined = (pages: readonly FilePage[]): string => pages.map(({ text }) => text).join("");
