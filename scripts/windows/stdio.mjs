// Runs a program of Node.js in Wine as if it were one of this system, so that any client can start it:
//   node scripts/windows/stdio.mjs [--env NAME=VALUE]… [--cwd C:\dir] C:\suite\notes\dist\main.js [ARGUMENT…]
// --node node20 takes another node.exe. node.exe cannot use pipes of Linux, so a second one inside carries them over loopback.
// --where only tells where that Windows is, and what it has.
// Paths on the drive C in the arguments, and file: URIs in both directions, are translated; so are variables SUITE_… passed on.
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { copyFileSync, mkdtempSync, openSync, readFileSync, renameSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Transform } from "node:stream";
import { fileURLToPath } from "node:url";

import { driveC, findWindows, home, run, toWindowsPath } from "./place.mjs";

const args = process.argv.slice(2);
if (args[0] === "--where") {
  console.log(JSON.stringify({ home, driveC, ...findWindows() }));
  process.exit();
}
let [node, cwd] = ["node", "C:\\"];
/** @type {Record<string, string>} */
const env = { Path: String.raw`C:\git\cmd;C:\node;C:\windows\system32;C:\windows` };
for (let option = args[0]; option?.startsWith("--") && args.length > 1; option = args[0]) {
  const [, value = ""] = args.splice(0, 2);
  const end = value.indexOf("=");
  if (option === "--env") env[value.slice(0, end)] = value.slice(end + 1);
  else if (option === "--cwd") cwd = value;
  else if (option === "--node") node = value;
  else throw new Error(`Unknown option ${option}`);
}
if (args.length === 0 || !findWindows()) {
  console.error(
    args.length === 0 ? "usage: stdio.mjs [OPTION…] PROGRAM…" : "There is no Windows here: npm run windows",
  );
  process.exit(64);
}

for (const [name, value = ""] of Object.entries(process.env))
  if (/^SUITE_(?!WINDOWS$)/.test(name)) env[name] = value;
const words = args.map((word) => (word.startsWith(`${driveC}/`) ? toWindowsPath(word) : word));

/** Whole lines, byte by byte otherwise. @param {string} from @param {string} to */
function translate(from, to) {
  let rest = "";
  return new Transform({
    transform(chunk, _, done) {
      const text = rest + chunk.toString("latin1");
      const end = text.lastIndexOf("\n") + 1;
      rest = text.slice(end);
      done(null, Buffer.from(text.slice(0, end).replaceAll(from, to), "latin1"));
    },
    flush: (done) => done(null, Buffer.from(rest.replaceAll(from, to), "latin1")),
  });
}
const [here, there] = [`file://${driveC}/`, "file:///C:/"];

const token = randomBytes(16).toString("hex");
// Gone at once, so that nothing stays whoever ends this: the files live as long as they are open.
const folder = mkdtempSync(join(tmpdir(), "wine-"));
const [output, complaints] = ["out", "err"].map((name) => openSync(join(folder, name), "w+"));
rmSync(folder, { recursive: true });
/** @type {import("node:net").Socket[]} */
const open = [];
/** @type {import("node:net").Socket | undefined} */
let errors;
/** @type {number | undefined} */
let code;

const server = createServer({ allowHalfOpen: true }, (socket) => {
  let head = Buffer.alloc(0);
  socket.on("error", () => undefined);
  socket.on("data", function begin(chunk) {
    head = Buffer.concat([head, chunk]);
    const end = head.indexOf("\n");
    if (end < 0) return;
    socket.off("data", begin);
    const [given, name] = head.subarray(0, end).toString().split(" ");
    if (given !== token) {
      socket.destroy();
      return;
    }
    open.push(socket);
    socket.on("end", () => socket.end());
    socket.on("close", () => {
      open.splice(open.indexOf(socket), 1);
      finish();
    });
    if (name === "streams") {
      process.stdin.pipe(translate(here, there)).pipe(socket);
      socket.unshift(head.subarray(end + 1));
      socket.pipe(translate(there, here)).pipe(process.stdout);
      return;
    }
    errors = socket;
    socket.unshift(head.subarray(end + 1));
    socket.pipe(process.stderr);
  });
});

function finish() {
  if (code === undefined || open.length > 0) return;
  // It was not even started.
  if (errors === undefined && complaints !== undefined) process.stderr.write(readFileSync(complaints));
  process.exit(code);
}

for (const file of ["inside.cjs", "shims.cjs"]) {
  // At once: others may be starting, too.
  const draft = join(driveC, `${file}.${process.pid}`);
  copyFileSync(fileURLToPath(new URL(file, import.meta.url)), draft);
  renameSync(draft, join(driveC, file));
}
server.listen(0, "127.0.0.1", () => {
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  const what = Buffer.from(
    JSON.stringify({ args: ["--require", "C:\\shims.cjs", ...words], env, cwd }),
  ).toString("base64");
  const program = [`C:\\${node}\\node.exe`, "C:\\inside.cjs", String(port), token, what];
  const wine = spawn(run, program, { stdio: ["ignore", output, complaints] });
  wine.on("exit", (status) => {
    code = status ?? 1;
    server.close();
    // Whatever a killed program's descendants hold open.
    setTimeout(() => {
      open.length = 0;
      finish();
    }, 1000);
    finish();
  });
  for (const signal of /** @type {const} */ (["SIGTERM", "SIGINT", "SIGHUP"])) {
    process.on(signal, () => {
      errors?.end();
      setTimeout(() => wine.kill("SIGKILL"), 3000).unref();
    });
  }
});
