import { expect, it } from "vitest";
import { closing } from "../../src/domain/closing.ts";

const fail = (): never => {
  throw new Error("failed");
};

it.each([
  ["gives something", () => "done", "done"],
  ["fails", fail, "Error: failed"],
  ["gives something later", async () => "done", "done"],
  ["fails later", async () => fail(), "Error: failed"],
])("closes once, after work that %s", async (_, work, outcome) => {
  const events: string[] = [];
  const open = { close: () => void events.push("closed") };
  try {
    events.push(await closing<typeof open, string | Promise<string>>(open, work));
  } catch (thrown) {
    events.push(String(thrown));
  }
  expect(events).toEqual(["closed", outcome]);
});

it("does not close while a promise is pending, and always before its outcome is known", async () => {
  let isOpen = true;
  const result = closing({ close: () => (isOpen = false) }, () => new Promise(setImmediate));
  expect(isOpen).toBe(true);
  await result;
  expect(isOpen).toBe(false);
});
