import { existsSync, readdirSync } from "node:fs";

const DESCRIPTORS = "/proc/self/fd";

/** How many files this process has open, where the system tells. */
export const countOpenFiles = (): number => (existsSync(DESCRIPTORS) ? readdirSync(DESCRIPTORS).length : 0);
