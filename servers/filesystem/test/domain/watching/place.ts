import {
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PathGuard } from "@suite/server-kit/domain";
import { PathWatch } from "../../../src/domain/watching/path-watch.ts";
import { Heard } from "./heard.ts";

/** A root with `a/b/file` in it, something outside, and what watches the root. */
export class Place {
  readonly base: string = realpathSync(mkdtempSync(join(tmpdir(), "watching-")));
  readonly root: string = join(this.base, "root");
  readonly secret: string = join(this.base, "outside/secret");
  readonly file: string = this.at("a/b/file");
  guard: PathGuard | undefined = new PathGuard({ roots: [this.root] });
  readonly watching: PathWatch = new PathWatch({ guard: () => this.guard });

  constructor() {
    mkdirSync(this.at("a/b"), { recursive: true });
    mkdirSync(join(this.base, "outside"));
    writeFileSync(this.file, "one");
    writeFileSync(this.secret, "x");
  }

  at(path: string): string {
    return join(this.root, path);
  }

  /** Watches, and waits until the system does. */
  async watch(path: string): Promise<Heard> {
    const heard = new Heard();
    this.watching.watch(path, heard.changed);
    await heard.settled();
    heard.count = 0;
    return heard;
  }

  relink(path: string, target: string): void {
    symlinkSync(target, `${path}.tmp`);
    renameSync(`${path}.tmp`, path);
  }

  remove(): void {
    this.watching.close();
    rmSync(this.base, { recursive: true, force: true });
  }
}

const places: Place[] = [];

/** Stays until `removePlaces`, to be called after all tests. */
export function createPlace(): Place {
  const place = new Place();
  places.push(place);
  return place;
}

export function removePlaces(): void {
  for (const place of places.splice(0)) place.remove();
}
