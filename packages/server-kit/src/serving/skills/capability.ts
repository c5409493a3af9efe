/** As clients are told of it: skills, and directories that can be read (SEP-2640). In its own file, because it is sent first. */
export const SKILLS_CAPABILITY = { "io.modelcontextprotocol/skills": { directoryRead: true } } as const;
