import { etagOf, type OpenFile, readBytes } from "@suite/server-kit/domain";
import { HASHED_BYTES } from "./limits.ts";

/**
 * Says in which state a file is. Up to a size it follows from the content, so that two writes within one tick of the
 * clock are told apart; of larger files from what the system says about them. `whole` spares reading it again.
 */
export function fileEtag(file: OpenFile, whole?: Uint8Array): string {
  const { size, mtimeNs, ctimeNs, ino } = file.stats;
  if (whole !== undefined && whole.length <= HASHED_BYTES) return etagOf(whole);
  if (size <= HASHED_BYTES) return etagOf(readBytes(file.fd, 0, Number(size)));
  return `stat-${etagOf(Buffer.from(`${size} ${mtimeNs} ${ctimeNs} ${ino}`))}`;
}
