import type { OptionSpec, OptionTable } from "../options/option.ts";
import type { Origin } from "../options/origin.ts";
import type { Resolution } from "../options/resolve.ts";
import { valueToText } from "../options/value-types.ts";

const HIDDEN = "(hidden)";
const ORIGINS: { readonly [Kind in Origin["kind"]]: string } = {
  flag: "flag",
  argument: "argument",
  environment: "environment variable",
  file: "file",
  default: "default",
};

/** Every setting by the name it has in a configuration file, its value, and where that came from. */
export function printConfig(
  table: OptionTable,
  { options, origins }: Resolution<OptionTable>,
  asJson: boolean,
): string {
  const settings = Object.entries(table)
    .filter(([, { isCommand }]) => !isCommand)
    .map(([key, spec]) => ({ key, spec, value: options[key], origin: origins[key] ?? { kind: "default" } }));
  if (asJson) {
    const entries = settings.map(({ key, spec, value, origin }) => [
      key,
      {
        value: toJson(value, spec),
        origin: origin.kind,
        ...(origin.name !== undefined && { name: origin.name }),
      },
    ]);
    return `${JSON.stringify(Object.fromEntries(entries), undefined, 2)}\n`;
  }
  const rows = settings.map(
    ({ key, spec, value, origin }) => [key, toShown(value, spec), toPlace(origin)] as const,
  );
  const widthOf = (column: 0 | 1): number => Math.max(...rows.map((row) => row[column].length));
  const [keyWidth, valueWidth] = [widthOf(0), widthOf(1)];
  return rows
    .map(([key, value, place]) => `${key.padEnd(keyWidth)}  ${value.padEnd(valueWidth)}  ${place}\n`)
    .join("");
}

function toJson(value: unknown, { secret }: OptionSpec): unknown {
  if (value === undefined) return null;
  return secret ? HIDDEN : value;
}

function toShown(value: unknown, spec: OptionSpec): string {
  if (value === undefined || (Array.isArray(value) && value.length === 0)) return "-";
  return spec.secret ? HIDDEN : valueToText(value, spec);
}

const toPlace = ({ kind, name }: Origin): string =>
  name === undefined ? ORIGINS[kind] : `${ORIGINS[kind]} ${name}`;
