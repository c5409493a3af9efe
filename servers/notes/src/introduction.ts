import { defineIntroduction } from "@suite/server-kit/program";

export const introduction = defineIntroduction({
  info: { name: "notes", version: "0.1.0" },
  instructions: "Keeps short notes. Read note:/// for the titles before you save or delete.",
  subscribe: true,
});
