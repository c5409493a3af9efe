import { type ListKind, type ServerCapabilities, TASKS_EXTENSION } from "../model/capabilities.ts";
import { checkList } from "./check-definition.ts";
import type { ExtensionMethod, Extensions } from "./extension.ts";
import { PromptEntry, type PromptDefinition } from "./prompt.ts";
import { Registry } from "./registry.ts";
import {
  ResourceEntry,
  TemplateEntry,
  type ResourceDefinition,
  type ResourceTemplateDefinition,
} from "./resource.ts";
import { ToolEntry, type ToolDefinition } from "./tool.ts";

export interface CatalogContents {
  readonly tools?: readonly ToolDefinition<never>[];
  readonly resources?: readonly ResourceDefinition<never>[];
  readonly templates?: readonly ResourceTemplateDefinition<never>[];
  readonly prompts?: readonly PromptDefinition<never>[];
  readonly extensions?: Extensions<never>;
  readonly pageSize?: number;
  readonly convertsSchemas?: boolean;
}

/** Everything a server offers. A group that was left out has neither methods nor a capability. */
export class Catalog {
  readonly tools: Registry<ToolEntry> | undefined;
  readonly resources: Registry<ResourceEntry> | undefined;
  readonly templates: Registry<TemplateEntry> | undefined;
  readonly prompts: Registry<PromptEntry> | undefined;
  readonly extensions: Extensions<never>;
  readonly pageSize: number;

  constructor(contents: CatalogContents, changed: (kind: ListKind) => void) {
    const { tools, resources, templates, prompts } = contents;
    for (const [member, list] of Object.entries({ tools, resources, templates, prompts }))
      if (list !== undefined) checkList(member, list);
    this.extensions = contents.extensions ?? {};
    this.pageSize = contents.pageSize ?? 100;
    if (tools) {
      this.tools = new Registry("tool", () => changed("tools"));
      for (const tool of tools) this.tools.add(tool.name, new ToolEntry(tool, contents.convertsSchemas));
    }
    if (resources ?? templates) {
      this.resources = new Registry("resource", () => changed("resources"));
      this.templates = new Registry("resource template", () => changed("resources"));
      for (const resource of resources ?? []) this.resources.add(resource.uri, new ResourceEntry(resource));
      for (const template of templates ?? [])
        this.templates.add(template.uriTemplate, new TemplateEntry(template));
    }
    if (prompts) {
      this.prompts = new Registry("prompt", () => changed("prompts"));
      for (const prompt of prompts) this.prompts.add(prompt.name, new PromptEntry(prompt));
    }
  }

  /** The lists whose changes can be announced. */
  lists(): readonly ListKind[] {
    return (["tools", "resources", "prompts"] as const).filter((kind) => this[kind] !== undefined);
  }

  /** Derived from the contents, so that there is no second list to keep up to date. */
  capabilities(): ServerCapabilities {
    return {
      ...(this.tools && { tools: { listChanged: true } }),
      ...(this.resources && {
        resources: { ...(this.hasSubscriptions() && { subscribe: true }), listChanged: true },
      }),
      ...(this.prompts && { prompts: { listChanged: true } }),
      ...(this.hasCompletions() && { completions: {} }),
      logging: {},
      ...this.#declaredExtensions(),
    };
  }

  /** What answers a method of an extension. */
  extensionMethod(method: string): ExtensionMethod<never> | undefined {
    const owner = Object.values(this.extensions).find(({ methods = {} }) => Object.hasOwn(methods, method));
    return owner?.methods?.[method];
  }

  hasDirectories(): boolean {
    return (this.templates?.values() ?? []).some((entry) => entry.definition.directory !== undefined);
  }

  #declaredExtensions(): Pick<ServerCapabilities, "extensions"> {
    const own = Object.entries(this.extensions).map(([id, { settings = {} }]) => [id, settings] as const);
    const declared = { ...Object.fromEntries(own), ...(this.hasTasks() && TASKS_EXTENSION) };
    return Object.keys(declared).length > 0 ? { extensions: declared } : {};
  }

  hasTasks(): boolean {
    return (this.tools?.values() ?? []).some((entry) => entry.definition.task !== undefined);
  }

  hasSubscriptions(): boolean {
    const entries = [...(this.resources?.values() ?? []), ...(this.templates?.values() ?? [])];
    return entries.some((entry) => entry.definition.subscribe !== undefined);
  }

  hasCompletions(): boolean {
    const templates = this.templates?.values() ?? [];
    const prompts = this.prompts?.values() ?? [];
    return (
      templates.some((entry) => entry.definition.complete !== undefined) ||
      prompts.some((entry) =>
        Object.values(entry.definition.arguments ?? {}).some((argument) => argument.complete !== undefined),
      )
    );
  }
}
