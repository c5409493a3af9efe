import { PATIENCE_MS } from "../support/patience.ts";

/** Waits until a server says that it is well. */
export async function answering(url: string): Promise<void> {
  for (const deadline = Date.now() + PATIENCE_MS; Date.now() < deadline;) {
    const answer = await fetch(url).catch(() => undefined);
    await answer?.arrayBuffer();
    if (answer?.ok === true) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error(`Nobody answers at ${url}`);
}
