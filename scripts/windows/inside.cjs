// Runs inside Wine: starts a program with pipes of Windows, and carries them over two sockets on loopback to stdio.mjs.
const { spawn } = require("node:child_process");
const { connect } = require("node:net");

const [port, token, encoded] = process.argv.slice(2);
/** @type {{ args: string[]; env: Record<string, string>; cwd: string }} */
const { args, env, cwd } = JSON.parse(Buffer.from(encoded ?? "", "base64").toString());

/** @param {string} name @returns {Promise<import("node:net").Socket>} */
const open = (name) =>
  new Promise((resolve) => {
    const socket = connect({ port: Number(port), host: "127.0.0.1", allowHalfOpen: true }, () => {
      socket.write(`${token} ${name}\n`);
      resolve(socket);
    });
    socket.on("error", () => undefined);
  });

async function main() {
  const [streams, errors] = [await open("streams"), await open("errors")];
  // Windows calls it Path. A plain object would have both.
  const inherited = Object.entries(process.env).filter(([name]) => !/^(?:path|home)$/i.test(name));
  const child = spawn(process.execPath, args, {
    cwd,
    env: { ...Object.fromEntries(inherited), ...env },
    stdio: "pipe",
  });
  child.stdin.on("error", () => undefined);
  streams.pipe(child.stdin);
  child.stdout.pipe(streams, { end: false });
  child.stderr.pipe(errors, { end: false });
  // Whoever wanted it is gone.
  errors.on("end", () => child.kill()).on("close", () => child.kill());
  errors.resume();
  child.on("close", (code) => {
    streams.end(() => errors.end(() => process.exit(code ?? 1)));
    setTimeout(() => process.exit(code ?? 1), 1000);
  });
}

void main();
