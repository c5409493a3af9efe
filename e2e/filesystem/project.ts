import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

import { createPlace } from "../support/place.ts";

/** A picture of one pixel. */
export const PNG: Buffer = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==",
  "base64",
);
/** A sound without samples. */
const WAV: Buffer = Buffer.from("UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=", "base64");

export const INDEX =
  'export const hello = "hello";\nexport const bye = "bye";\nexport const again = "hello";\n';

const FILES: Readonly<Record<string, string | Buffer>> = {
  ".gitignore": "ignored/\n",
  "README.md": "# Project\n\nSay hello.\n",
  "beep.wav": WAV,
  "data.bin": Buffer.from([0, 1, 2, 253, 254, 255]),
  "ignored/hello.txt": "hello from nowhere\n",
  "notes/new.txt": "a\nB\nc\n",
  "notes/old.txt": "a\nb\nc\n",
  "pixel.png": PNG,
  "run.sh": "#!/bin/sh\necho hello\n",
  "src/index.ts": INDEX,
  "src/windows.txt": "one\r\ntwo\r\n",
};

/** Something of everything that a tool may meet. */
export function writeProject(folder: string): string {
  for (const [path, content] of Object.entries(FILES)) {
    mkdirSync(join(folder, dirname(path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
  chmodSync(join(folder, "run.sh"), 0o755);
  symlinkSync("README.md", join(folder, "link.md"));
  return folder;
}

export const createProject = (): string => writeProject(createPlace());
