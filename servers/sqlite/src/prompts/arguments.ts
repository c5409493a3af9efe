import { completeDatabase, completeTable } from "../resources/completion.ts";

export const databaseArgument = {
  description: "Which database; not needed if there is one",
  complete: completeDatabase,
};

export const tableArgument = { description: "The table", required: true, complete: completeTable } as const;
