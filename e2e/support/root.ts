import { fileURLToPath } from "node:url";

/** Of the repository, whether sources run or what was built of them. */
const ROOT = new URL(import.meta.url.includes("/e2e/dist/") ? "../../../" : "../../", import.meta.url);

export const inRoot = (path: string): string => fileURLToPath(new URL(path, ROOT));
