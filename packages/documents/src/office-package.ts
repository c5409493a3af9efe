import { dirname, join } from "node:path/posix";

import { attributeOf, type Element, findElement, readElements, textOf } from "./xml.ts";
import type { Archive } from "./zip.ts";

interface Relation {
  readonly type: string;
  readonly target: string;
  readonly isExternal: boolean;
}

/** What DOCX, XLSX and PPTX have in common: parts that name others by relations. */
export class OfficePackage {
  readonly #archive: Archive;
  readonly #path: string;
  readonly #relations: ReadonlyMap<string, Relation>;

  constructor(archive: Archive, path = "") {
    this.#archive = archive;
    this.#path = path;
    this.#relations = new Map(this.#readRelations());
  }

  /** The part that is the document, wherever the archive has it. */
  static open(archive: Archive): OfficePackage | undefined {
    return new OfficePackage(archive).findPart("officeDocument");
  }

  get main(): Uint8Array {
    return this.#archive.read(this.#path);
  }

  get title(): string | undefined {
    const core = new OfficePackage(this.#archive).findRelated("core-properties");
    const title = findElement(core, "title");
    return title && textOf(title);
  }

  findRelated(type: string): Uint8Array | undefined {
    return this.findPart(type)?.main;
  }

  /** Types are URLs, of which there are two for each. */
  findPart(type: string): OfficePackage | undefined {
    const found = [...this.#relations.values()].find((each) => each.type.endsWith(`/${type}`));
    return found && this.#toPart(found);
  }

  /** The part that an element refers to. */
  findById(element: Element): OfficePackage | undefined {
    const found = this.#relations.get(element.attributes.get(":id") ?? "");
    return found && this.#toPart(found);
  }

  findLink(element: Element): string | undefined {
    const found = this.#relations.get(element.attributes.get(":id") ?? "");
    return found?.isExternal ? found.target : undefined;
  }

  #toPart({ target, isExternal }: Relation): OfficePackage | undefined {
    const path = target.startsWith("/") ? target.slice(1) : join(dirname(this.#path), target);
    return isExternal || !this.#archive.has(path) ? undefined : new OfficePackage(this.#archive, path);
  }

  *#readRelations(): Generator<[string, Relation]> {
    const [folder, name] = [dirname(this.#path), this.#path.slice(this.#path.lastIndexOf("/") + 1)];
    const bytes = this.#archive.find(join(folder, "_rels", `${name}.rels`));
    if (bytes === undefined) return;
    for (const element of readElements(bytes, { wanted: ["Relationship"] })) {
      const isExternal = attributeOf(element, "TargetMode") === "External";
      const target = attributeOf(element, "Target") ?? "";
      yield [
        attributeOf(element, "Id") ?? "",
        { type: attributeOf(element, "Type") ?? "", target, isExternal },
      ];
    }
  }
}
