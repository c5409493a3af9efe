import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTVerifyGetKey } from "jose";

import { discoverKeys } from "./discovery.ts";
import { UnavailableError } from "./error.ts";
import type { AuthSettings } from "./options.ts";

/** After a failure, the issuer is not asked again for this long. */
const PAUSE_AFTER_FAILURE_MS = 1000;

type KeySettings = Pick<
  AuthSettings,
  "issuer" | "fetchJson" | "timeoutMs" | "keysMaxAgeMs" | "keysCooldownMs"
>;

/** The issuer's public keys: fetched when first needed, when they are old, and when a token names an unknown one. */
export class KeySource {
  readonly #settings: KeySettings;
  #address: string | undefined;
  #find: JWTVerifyGetKey | undefined;
  #fetchedAt = 0;
  #failedAt = 0;
  #fetching: Promise<JWTVerifyGetKey> | undefined;

  constructor(settings: KeySettings) {
    this.#settings = settings;
  }

  readonly find: JWTVerifyGetKey = async (header, token) => {
    const isOld = Date.now() - this.#fetchedAt >= this.#settings.keysMaxAgeMs;
    const find = (!isOld && this.#find) || (await this.#refresh());
    try {
      return await find(header, token);
    } catch (thrown) {
      if (!(thrown instanceof errors.JWKSNoMatchingKey) || !this.#mayLookAgain()) throw thrown;
    }
    const newer = await this.#refresh();
    return newer(header, token);
  };

  /** For a token that names no key and fits none of the known ones. False if it is too early to fetch them again. */
  async renew(): Promise<boolean> {
    const mayLook = this.#mayLookAgain();
    if (mayLook) await this.#refresh();
    return mayLook;
  }

  /** Anybody can make up key names: these must not cause a flood of requests to the issuer. */
  #mayLookAgain(): boolean {
    return this.#fetching !== undefined || Date.now() - this.#fetchedAt >= this.#settings.keysCooldownMs;
  }

  #refresh(): Promise<JWTVerifyGetKey> {
    this.#fetching ??= this.#fetch().finally(() => (this.#fetching = undefined));
    return this.#fetching;
  }

  async #fetch(): Promise<JWTVerifyGetKey> {
    if (Date.now() - this.#failedAt < PAUSE_AFTER_FAILURE_MS) {
      throw new UnavailableError("The issuer's keys could not be fetched a moment ago");
    }
    const { issuer, fetchJson, timeoutMs } = this.#settings;
    const signal = AbortSignal.timeout(timeoutMs);
    try {
      this.#address ??= await discoverKeys(issuer, signal, fetchJson);
      this.#find = toFinder(await fetchJson(this.#address, signal));
      this.#fetchedAt = Date.now();
      return this.#find;
    } catch (thrown) {
      this.#failedAt = Date.now();
      // The keys may have moved.
      this.#address = undefined;
      throw thrown;
    }
  }
}

function toFinder(keys: unknown): JWTVerifyGetKey {
  try {
    return createLocalJWKSet(keys as JSONWebKeySet);
  } catch (cause) {
    throw new UnavailableError("The issuer's keys are not a JSON Web Key Set", { cause });
  }
}
