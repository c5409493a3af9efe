import { createPrivateKey, generateKeyPairSync, type KeyObject } from "node:crypto";

/**
 * A key that can be exported. Node 20 can hang while it exports one that it has just made: the export holds the key's lock, and a
 * garbage collection that comes then waits for this lock, to free what made the key. So the key is read from its text.
 */
export function createSigningKey(): KeyObject {
  const { privateKey } = generateKeyPairSync("ec", {
    namedCurve: "P-256",
    publicKeyEncoding: { type: "spki", format: "pem" },
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
  });
  return createPrivateKey(privateKey);
}
