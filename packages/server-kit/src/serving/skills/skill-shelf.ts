import { readFileSync } from "node:fs";

import { paginate, readCursor, type Params, type Resource, type ResourceContents } from "@suite/core";

import { textTypeOf } from "../../domain/content/mime-types.ts";
import { Fault } from "../../domain/errors/fault.ts";

/** One skill as clients see it (SEP-2640): the build makes this from its folder. */
export interface Skill {
  readonly uri: string;
  readonly frontmatter: { readonly name: string; readonly description: string };
  readonly resources: readonly { readonly uri: string; readonly digest: string; readonly size: number }[];
}

const SCHEME = "skill://";
const PAGE_SIZE = 100;

/** Where a file of a skill is, below a folder of skills. */
export const pathOf = (uri: string): string => uri.slice(SCHEME.length);

/** The skills of one server, and their files in the folder `skills` beside the index. */
export class SkillShelf {
  readonly skills: readonly Skill[];
  readonly #index: URL;
  readonly #files: ReadonlyMap<string, Resource>;

  constructor(index: URL) {
    this.#index = index;
    this.skills = JSON.parse(readFileSync(index, "utf8")) as readonly Skill[];
    this.#files = new Map(
      this.skills.flatMap((skill) =>
        skill.resources.map(({ uri, size }) => [uri, this.#describe(skill, uri, size)]),
      ),
    );
  }

  /** One page of them. */
  list(params: Params): Params {
    const serialOf = (skill: Skill): number => this.skills.indexOf(skill);
    const { items, ...next } = paginate("skills", this.skills, serialOf, PAGE_SIZE, readCursor(params));
    return { skills: items, ...next };
  }

  get(uri: unknown): Skill {
    const skill = this.skills.find((one) => one.uri === uri);
    if (skill) return skill;
    const hint = `There are: ${this.skills.map((one) => one.uri).join(", ")}.`;
    throw new Fault("not_found", `No skill is served at ${String(uri).slice(0, 200)}.`, { hint });
  }

  /** As resources, which clients without the extension find too. */
  resources(): readonly Resource[] {
    return this.skills.flatMap(({ uri }) => this.#files.get(uri) ?? []);
  }

  /** undefined unless it is a file of a skill. */
  read(uri: string): ResourceContents | undefined {
    const file = this.#files.get(uri);
    return file?.mimeType === undefined
      ? undefined
      : { uri, mimeType: file.mimeType, text: this.textOf(uri) };
  }

  /** The content of a file that `skills` name. The build takes only UTF-8. */
  textOf(uri: string): string {
    return readFileSync(new URL(`skills/${pathOf(uri)}`, this.#index), "utf8");
  }

  /** What is directly inside a directory; undefined if there is no such directory. */
  directory(uri: string): readonly Resource[] | undefined {
    const children = new Map<string, Resource>();
    for (const [file, resource] of this.#files) {
      if (!file.startsWith(`${uri}/`)) continue;
      const [name = "", ...rest] = file.slice(uri.length + 1).split("/");
      const child = `${uri}/${name}`;
      children.set(child, rest.length === 0 ? resource : { uri: child, name, mimeType: "inode/directory" });
    }
    return children.size > 0 && uri.length > SCHEME.length ? [...children.values()] : undefined;
  }

  #describe({ uri: main, frontmatter: { name, description } }: Skill, uri: string, size: number): Resource {
    const own = uri === main ? { name, description } : { name: uri.slice(uri.lastIndexOf("/") + 1) };
    return { uri, ...own, mimeType: textTypeOf(uri) ?? "text/plain", size };
  }
}
