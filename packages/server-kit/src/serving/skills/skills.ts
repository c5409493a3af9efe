import { defineResourceTemplate, type Extensions, type ResourceTemplateDefinition } from "@suite/core";

import { SKILLS_CAPABILITY } from "./capability.ts";
import type { SkillShelf } from "./skill-shelf.ts";

const SKILLS = "io.modelcontextprotocol/skills";
/** A server's skills change only with its version, and are the same for everyone. */
const CACHE = { ttlMs: 3_600_000, cacheScope: "public" } as const;

interface OfferedSkills {
  readonly extensions: Extensions;
  /** For their files, which are resources like any other. */
  readonly template: ResourceTemplateDefinition;
}

/** Know-how that travels with the server. `index` is the `skills.json` of its build; nothing is loaded before it is asked for. */
export function createSkills(index: URL): OfferedSkills {
  let opened: Promise<SkillShelf> | undefined;
  const open = (): Promise<SkillShelf> =>
    (opened ??= import("./skill-shelf.ts").then(({ SkillShelf }) => new SkillShelf(index)));
  return {
    extensions: {
      [SKILLS]: {
        settings: SKILLS_CAPABILITY[SKILLS],
        methods: {
          "skills/list": async (params) => ({ ...(await open()).list(params), ...CACHE }),
          "skills/get": async (params) => ({ skill: (await open()).get(params["uri"]), ...CACHE }),
        },
      },
    },
    template: defineResourceTemplate({
      uriTemplate: "skill://{+path}",
      name: "skill",
      title: "Skill",
      description: "How to do a larger task with these tools, step by step: skill://NAME/SKILL.md.",
      cache: CACHE,
      read: async (_variables, _context, uri) => (await open()).read(uri),
      list: async () => ({ resources: (await open()).resources() }),
      directory: async (uri) => {
        const resources = (await open()).directory(uri);
        return resources && { resources };
      },
    }),
  };
}
