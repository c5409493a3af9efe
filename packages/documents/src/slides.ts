import { type Dialect, type Role, writeMarkdown } from "./markdown.ts";
import type { OfficePackage } from "./office-package.ts";
import type { Opened, PartText } from "./opened.ts";
import { attributeOf, child, type Element, findElement, isElement, isTrue, textOf } from "./xml.ts";

/** PPTX: the title of a slide, its text in the order of the file, and the speaker's notes. */
export function openSlides(file: OfficePackage): Opened {
  const list = findElement(file.main, "sldIdLst")?.children.filter(isElement) ?? [];
  return { format: "pptx", unit: "slide", parts: list.map((each) => () => readSlide(file.findById(each))) };
}

function readSlide(part: OfficePackage | undefined): PartText {
  const slide = findElement(part?.main, "sld");
  if (!part || !slide) return { text: "" };
  if (/^(?:0|false)$/.test(attributeOf(slide, "show") ?? "")) return { text: "", isHidden: true };
  const shapes = listShapes(child(slide, "cSld", "spTree"));
  const title = shapes.find((shape) => /^(?:ctrT|t)itle$/.test(placeholderOf(shape) ?? ""));
  const body = writeMarkdown(
    slide,
    createDialect((shape) => shape !== title),
  );
  const notesPart = findElement(part.findRelated("notesSlide"), "notes");
  const notes = writeMarkdown(
    notesPart,
    createDialect((shape) => placeholderOf(shape) === "body", false),
  );
  const spoken = notes.text === "" ? "" : `Notes:\n\n${notes.text}`;
  return {
    name:
      title &&
      writeMarkdown(
        title,
        createDialect(() => true),
      ).text,
    text: [body.text, spoken].filter(Boolean).join("\n\n"),
    hidden: body.hidden,
  };
}

const listShapes = (tree: Element | undefined): readonly Element[] =>
  tree?.children
    .filter(isElement)
    .flatMap((each) => (each.name === "grpSp" ? listShapes(each) : each.name === "sp" ? [each] : [])) ?? [];

/** Its kind, if the shape is one of those that its layout provides. */
function placeholderOf(shape: Element): string | undefined {
  const found = child(shape, "nvSpPr", "nvPr", "ph");
  return found && (attributeOf(found, "type") ?? "body");
}

/** Numbers, dates and the like that are on every slide, and the stand-in of a picture for older programs. */
const LEFT_OUT = /^(?:sldNum|dt|ftr|hdr|sldImg)$/;

function createDialect(isWanted: (shape: Element) => boolean, hasItems = true): Dialect {
  let isList = false;
  const toParagraph = (element: Element): Role => {
    const properties = child(element, "pPr");
    const depth = Math.min(Number(attributeOf(properties, "lvl") ?? 0) || 0, 8);
    const isItem = hasItems && isList && !child(properties, "buNone");
    return { as: "paragraph", prefix: isItem ? `${"  ".repeat(depth)}- ` : undefined };
  };
  return {
    hasLooseText: false,
    roleOf(element) {
      const { name } = element;
      if (name === "sp" || name === "grpSp" || name === "graphicFrame") {
        const own = element.children.filter(isElement).find((each) => each.name.startsWith("nv"));
        if (isTrue(attributeOf(child(own, "cNvPr"), "hidden"))) return { as: "hidden" };
        const kind = placeholderOf(element);
        isList = kind === "body" || kind === "obj";
        const isLeftOut = name === "sp" && (LEFT_OUT.test(kind ?? "") || !isWanted(element));
        return isLeftOut ? { as: "nothing" } : undefined;
      }
      if (name === "p") return toParagraph(element);
      if (name === "t") return { as: "text", text: textOf(element) };
      if (name === "br") return { as: "text", text: "\n" };
      if (name === "tbl") return { as: "table" };
      if (name === "tr") return { as: "row" };
      if (name === "tc") return { as: "cell" };
      return name === "Fallback" ? { as: "nothing" } : undefined;
    },
  };
}
