import { join } from "node:path";

import { Plain } from "../git/program.ts";
import { oncePerFile } from "../support/afterwards.ts";

export const SECRET = "the-secret-text";

const sharedOutside = oncePerFile(() => {
  const outside = Plain.init();
  outside.commit("secret commit", { "secret.txt": `${SECRET}\n` });
  return outside;
});

/** A repository that must not be opened, beside the one that may. */
export const createOutside = (place: string): Plain => sharedOutside().copyTo(join(place, "outside"));
