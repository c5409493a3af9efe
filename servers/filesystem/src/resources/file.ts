import type { MaybePromise } from "@suite/server-kit";
import { fromFileUri } from "@suite/server-kit/domain";
import { defineResourceTemplate } from "../define.ts";
import { withGuard, withKnownGuard, type FilesystemContext } from "../state.ts";

/** Every file and directory inside the roots, by its file: URI. */
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
    const { listTops } = await import("./list-entries.ts");
    const { notify, state } = context;
    return withKnownGuard(context, { resources: [] }, (guard) => {
      // Announce changes of the list once it has been requested.
      state.watching.watchTops(guard.roots, () => notify.resourceListChanged());
      return listTops(guard, cursor);
    });
  },
  directory: async (uri, context, cursor) => {
    const { listChildren } = await import("./list-entries.ts");
    return withGuard(context, (guard) => listChildren(guard, uri, cursor));
  },
  complete: {
    path: async ({ value }, context) => {
      const { completeUriPath } = await import("../domain/browsing/complete-path.ts");
      return withKnownGuard(context, [], (guard) => completeUriPath(guard, value));
    },
  },
  subscribe: (uri, changed, state) => state.watching.watch(fromFileUri(uri), changed),
});

/** Watchers are shared by all clients, so a path outside the client's own roots is refused before. */
export const admitWatcher = (uri: string, context: FilesystemContext): MaybePromise<void> =>
  uri.startsWith("file:")
    ? context.state.roots.withWatchedGuard(context, (guard) => void guard.locateExact(fromFileUri(uri)))
    : undefined;
