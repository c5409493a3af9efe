/** For programs of your own. */
export { filesystem } from "./parts.ts";
