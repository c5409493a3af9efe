import type { Note, OpenServer, ServerLocation } from "../checks/visit.ts";
import { capableIn } from "../wires/asking.ts";
import { ProgramWire } from "../wires/program-wire.ts";
import { RemoteWire } from "../wires/remote-wire.ts";
import type { Revision } from "../wires/revisions.ts";

/** The part of the patience that is kept for a server's end: it has nothing left to do. */
const ENDING = 4;

/** Opens a wire in a revision, as a client that can be asked for anything. */
export const openServer = (
  place: ServerLocation,
  revision: Revision,
  timeoutMs: number,
): Promise<OpenServer> =>
  "url" in place ? openRemote(place, revision, timeoutMs) : openProgram(place, revision, timeoutMs);

async function openProgram(
  { command, env }: Extract<ServerLocation, { command: unknown }>,
  revision: Revision,
  timeoutMs: number,
): Promise<OpenServer> {
  const capabilities = capableIn(revision);
  const options = { revision, capabilities, timeoutMs, isLenient: true, ...(env && { env }) };
  const wire = await ProgramWire.open(command, options);
  return {
    wire,
    write: (bytes) => wire.write(bytes),
    end: (note) => endProgram(wire, timeoutMs / ENDING, note),
  };
}

async function endProgram(wire: ProgramWire, patienceMs: number, note: Note): Promise<void> {
  const [stray] = wire.strays;
  if (stray !== undefined)
    note("stdio/stdout-only-messages", "A line on standard output is no message", stray);
  const wasRunning = wire.isRunning;
  const exit = await wire.end(patienceMs).catch(() => undefined);
  // One that was stopped had no chance to end its line.
  if (wire.unfinishedLine !== "" && exit?.signal !== "SIGKILL")
    note("stdio/newline-delimited", "Its last line is cut short", wire.unfinishedLine);
  if (!exit) note("stdio/exit-on-eof", "It keeps running after stdin closes");
  // The specification says nothing of exit codes; of one that ended before, something else was said.
  else if (wasRunning && exit.code !== 0)
    note("stdio/exit-code", `It ends with ${exit.signal ?? `exit code ${exit.code}`} when its input ends`);
  await wire.dispose();
}

async function openRemote(
  { url, headers = {} }: Extract<ServerLocation, { url: unknown }>,
  revision: Revision,
  timeoutMs: number,
): Promise<OpenServer> {
  const wire = await RemoteWire.open(url, revision, capableIn(revision), { headers, timeoutMs });
  return { wire, end: () => wire.end() };
}
