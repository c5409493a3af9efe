import type { ResourceContents } from "@suite/core";
import type { PathGuard } from "@suite/server-kit/domain";
import { requireExisting } from "../domain/browsing/locate-existing.ts";
import { fromFileUri } from "../domain/uris.ts";
import { readDirectoryContents } from "./directory-contents.ts";
import { readFileContents } from "./file-contents.ts";

export function readUri(guard: PathGuard, uri: string): ResourceContents {
  const { path, stats } = requireExisting(guard, guard.locateExact(fromFileUri(uri)));
  return stats.isDirectory() ? readDirectoryContents(guard, path, uri) : readFileContents(guard, path, uri);
}
