import { until } from "@suite/check/wires";

/** Waits until a server says that it is well. */
export async function answering(url: string): Promise<void> {
  const isWell = async (): Promise<boolean> => {
    const answer = await fetch(url).catch(() => undefined);
    await answer?.arrayBuffer();
    return answer?.ok === true;
  };
  await until(isWell, `An answer at ${url}`);
}
