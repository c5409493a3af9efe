import { lstatSync, readFileSync } from "node:fs";
import { type PathGuard, readBytes, type SafePath, shownSize } from "@suite/server-kit/domain";
import { attempt } from "../attempt.ts";
import { COMPARED_BYTES } from "../reading/limits.ts";
import type { FoundChange } from "./changes/change-list.ts";
import type { RecordedOperation } from "./changes/change-record.ts";
import { toAbsolute } from "./changes/open-change.ts";
import { withFile } from "./current-file.ts";
import { decodeSource, type Preview, PREVIEW_SIZE, previewTexts } from "./source-text.ts";
import { withImage } from "./undo-plan.ts";

/** Of a file, or nothing if it cannot be compared: a directory, a link, or too large. A missing file is empty. */
type Content = Buffer | undefined;

const NOTHING = Buffer.alloc(0);

/** What an undo would do to the texts of files. Those that are moved keep theirs. */
export function previewUndo(guard: PathGuard, change: FoundChange): Preview {
  const files = new Map<SafePath, { readonly now: Content; before: Content }>();
  for (const operation of change.record.operations.toReversed()) {
    if (operation.kind === "move" || operation.kind === "drop") continue;
    const recorded = toAbsolute(change.root, operation.path);
    const path = guard.locateExact(recorded, { intent: "write", follow: false });
    const now = files.has(path) ? undefined : readNow(guard, path);
    const file = files.get(path) ?? { now, before: now };
    file.before = takeBack(operation, file.before, (image) => readImage(guard, change, image));
    files.set(path, file);
  }
  const preview: Preview = {};
  for (const [path, { now, before }] of files) {
    const [from, to] = [now, before].map((bytes) => bytes && decodeSource(bytes)?.text);
    if (from === undefined || to === undefined || from === to) continue;
    const room = PREVIEW_SIZE - shownSize(preview.diff ?? "");
    const { diff = "", truncated } = room > 0 ? previewTexts(path, from, to, room) : { truncated: true };
    preview.diff = `${preview.diff ?? ""}${diff}`;
    if (truncated) preview.truncated = true;
  }
  return preview;
}

type Contentful = Exclude<RecordedOperation, { readonly kind: "move" | "drop" }>;

function takeBack(operation: Contentful, after: Content, read: (image: string) => Content): Content {
  if (operation.kind === "restore" || operation.image === undefined) return NOTHING;
  const image = read(operation.image);
  if (operation.kind === "append") return image && after?.subarray(0, after.length - image.length);
  if (operation.kind === "cut") return image && after && Buffer.concat([after, image]);
  return image;
}

function readNow(guard: PathGuard, path: SafePath): Content {
  try {
    const found = withFile(guard, path, ({ fd, stats: { size } }) => ({
      bytes: size > COMPARED_BYTES ? undefined : readBytes(fd, 0, Number(size)),
    }));
    return found ? found.bytes : NOTHING;
  } catch {
    return undefined;
  }
}

const readImage = (guard: PathGuard, change: FoundChange, image: string): Content =>
  attempt(() =>
    withImage(guard, change, image, (at) => {
      const stats = lstatSync(at);
      return stats.isFile() && stats.size <= COMPARED_BYTES ? readFileSync(at) : undefined;
    }),
  );
