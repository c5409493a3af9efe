/** For programs of your own. */
export { github } from "./parts.ts";
