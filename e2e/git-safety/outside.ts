import { join } from "node:path";

import { Plain } from "../git/program.ts";

export const SECRET = "the-secret-text";

/** A repository that must not be opened, beside the one that may. */
export function createOutside(place: string): Plain {
  const outside = Plain.init(join(place, "outside"));
  outside.commit("secret commit", { "secret.txt": `${SECRET}\n` });
  return outside;
}
