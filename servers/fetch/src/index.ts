/** For programs of your own. */
export { fetch } from "./parts.ts";
