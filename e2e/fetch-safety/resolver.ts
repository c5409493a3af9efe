import { createSocket } from "node:dgram";

import { undoAtEnd } from "../support/afterwards.ts";

export interface Resolver {
  /** For --dns-servers. */
  readonly address: string;
  readonly asked: string[];
}

/** A DNS server whose answers a test makes up, anew for every question. */
export async function openResolver(
  answer: (name: string, round: number) => readonly string[],
): Promise<Resolver> {
  const asked: string[] = [];
  const socket = createSocket("udp4", (query, { port, address }) => {
    const { name, type, end } = readQuestion(query);
    const isV4 = type === 1;
    if (isV4) asked.push(name);
    const round = asked.filter((each) => each === name).length;
    const addresses = isV4 ? answer(name, round) : [];
    const header = Buffer.from(query.subarray(0, 12));
    header.writeUInt16BE(0x81_80, 2);
    header.writeUInt16BE(addresses.length, 6);
    header.writeUInt32BE(0, 8);
    const records = addresses.map((ip) =>
      Buffer.concat([
        Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4]),
        Buffer.from(ip.split(".").map(Number)),
      ]),
    );
    socket.send(Buffer.concat([header, query.subarray(12, end), ...records]), port, address);
  });
  await new Promise<void>((resolve) => socket.bind(0, "127.0.0.1", resolve));
  undoAtEnd(() => socket.close());
  return { address: `127.0.0.1:${socket.address().port}`, asked };
}

function readQuestion(query: Buffer): { readonly name: string; readonly type: number; readonly end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.subarray(at + 1, at + 1 + length).toString());
    at += 1 + length;
  }
  return { name: labels.join("."), type: query.readUInt16BE(at + 1), end: at + 5 };
}
