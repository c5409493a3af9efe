/** For programs of your own. */
export { sqlite } from "./parts.ts";
