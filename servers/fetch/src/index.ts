/** For programs of your own. */
export { fetchServer } from "./parts.ts";
