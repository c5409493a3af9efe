import { defineIntroduction } from "@suite/server-kit/program";
import manifest from "../package.json" with { type: "json" };

export const introduction = defineIntroduction({
  info: { name: "notes", version: manifest.version },
  instructions: "Keeps short notes. Read note:/// for the titles before you save or delete.",
  subscribe: true,
});
