import type { MaybePromise } from "@suite/server-kit";
import { fromFileUri } from "@suite/server-kit/domain";
import { defineResourceTemplate } from "../define.ts";
import { withGuard, withKnownGuard, type FilesystemContext } from "../state.ts";

/** Every file and directory inside the boundary, by its file: URI. */
export const fileTemplate = defineResourceTemplate({
  uriTemplate: "file:///{+path}",
  name: "file",
  title: "File or directory",
  description:
    "A file as text or bytes (up to 1 MiB), or a directory as the URIs of its entries, one a line. Can be subscribed to.",
  read: async (_variables, context, uri) => {
    const { readUri } = await import("./contents.ts");
    return withGuard(context, (guard) => readUri(guard, uri));
  },
  list: async (context, cursor) => {
    const { listTops } = await import("./list-tops.ts");
    const { notify, state } = context;
    return withKnownGuard(context, { resources: [] }, (guard) => {
      // Whoever has seen the list wants to hear when it is no longer true.
      state.watching.watchTops(guard.roots, () => notify.resourceListChanged());
      return listTops(guard, cursor);
    });
  },
  complete: {
    path: async ({ value }, context) => {
      const { completeUriPath } = await import("../domain/browsing/complete-path.ts");
      return withKnownGuard(context, [], (guard) => completeUriPath(guard, value));
    },
  },
  subscribe: (uri, changed, state) => state.watching.watch(fromFileUri(uri), changed),
});

/** A watcher serves every client, whatever the roots of one of them: what leads out of those is refused before. */
export const admitWatcher = (uri: string, context: FilesystemContext): MaybePromise<void> =>
  uri.startsWith("file:")
    ? context.state.roots.withWatchedGuard(context, (guard) => void guard.locateExact(fromFileUri(uri)))
    : undefined;
