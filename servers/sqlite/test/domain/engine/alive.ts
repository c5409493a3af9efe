import { expect } from "vitest";

export const isAlive = (pid: number | undefined): boolean => {
  try {
    process.kill(pid ?? 0, 0);
    return true;
  } catch {
    return false;
  }
};

export async function eventually(check: () => boolean): Promise<void> {
  for (const deadline = Date.now() + 5000; !check() && Date.now() < deadline;) {
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  expect(check()).toBe(true);
}
