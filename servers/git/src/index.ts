/** For programs of your own. */
export { git } from "./parts.ts";
