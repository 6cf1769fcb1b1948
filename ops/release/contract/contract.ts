/** What a version promises, as one document: HTTP, events, settings, commands and their `--json`, and the schema of the spool. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import packageJson from "../../../package.json" with { type: "json" };
import { COMMANDS } from "../../../src/cli/catalog/catalog.ts";
import { helpJson } from "../../../src/cli/help.ts";
import { openApiDocument } from "../../../src/http/openapi.ts";
import { problemCatalog } from "../../../src/http/response/problem-catalog.ts";
import { EVENT_TYPES } from "../../../src/spool/port/events.ts";
import { SCHEMA_VERSION as POSTGRES_SCHEMA } from "../../../src/spool/schema/postgres.ts";
import { SCHEMA_VERSION as SQLITE_SCHEMA } from "../../../src/spool/schema/sqlite.ts";
import { ROOT } from "../place.ts";
import { commandOutputs } from "./command-outputs.ts";
import { isObject, type Json, type JsonObject } from "./schema-breaks.ts";

export interface Contract {
  version: string;
  /** The OpenAPI document without its texts and examples. */
  http: JsonObject;
  /** The status of each problem code. */
  problems: Record<string, number>;
  events: readonly string[];
  /** The default of each setting, as docs/CONFIGURATION.md states it. */
  settings: Record<string, string>;
  /** The positionals and options of each command. */
  commands: Record<string, CommandForm>;
  /** By command, the paths of its `--json` output with their types. */
  outputs: Record<string, Record<string, string[]>>;
  schema: { sqlite: number; postgresql: number };
}

export interface CommandForm {
  arguments: { name: string; required: boolean; values: readonly string[] | null }[];
  options: Record<string, { type: string; required: boolean }>;
}

const LAST_RELEASE = join(ROOT, "ops/release/contract/last-release.json.gz");

/** The contract of the last release, which `npm run release` wrote. */
export const contractOfLastRelease = (): Contract =>
  JSON.parse(gunzipSync(readFileSync(LAST_RELEASE)).toString()) as Contract;

export const keepAsLastRelease = (contract: Contract): void =>
  writeFileSync(LAST_RELEASE, gzipSync(JSON.stringify(contract), { level: 9 }));

/** The contract of this checkout. */
export async function contractOfToday(): Promise<Contract> {
  return {
    version: packageJson.version,
    http: withoutTexts(JSON.parse(JSON.stringify(openApiDocument())) as JsonObject),
    problems: Object.fromEntries(problemCatalog().map(({ code, status }) => [code, status])),
    events: EVENT_TYPES,
    settings: settingsOf(readFileSync(join(ROOT, "docs/CONFIGURATION.md"), "utf8")),
    commands: commandForms(),
    outputs: await commandOutputs(),
    schema: { sqlite: SQLITE_SCHEMA, postgresql: POSTGRES_SCHEMA },
  };
}

const SCHEMA_WORDS = ["type", "$ref", "anyOf", "oneOf", "allOf", "enum", "const", "properties"];
const TEXTS = new Set(["description", "summary", "example", "examples", "title", "info", "tags"]);

function withoutTexts(part: JsonObject): JsonObject {
  const kept = (value: Json): Json =>
    Array.isArray(value) ? value.map(kept) : isObject(value) ? withoutTexts(value) : value;
  const entries = Object.entries(part).filter(([name, value]) => !TEXTS.has(name) || isSchema(value));
  return Object.fromEntries(entries.map(([name, value]) => [name, kept(value)]));
}

/** A property may be called `description`, too. */
const isSchema = (value: Json): boolean => isObject(value) && SCHEMA_WORDS.some((word) => word in value);

/** The first two columns of the tables; a row may name several settings, whose defaults are in the same order. */
export function settingsOf(page: string): Record<string, string> {
  const rows = [...page.matchAll(/^\| (`[A-Z][^|]+) \| ([^|]+) \|/gm)];
  return Object.fromEntries(
    rows.flatMap(([, names = "", defaults = ""]) => {
      const listed = [...names.matchAll(/`(\w+)`/g)].map(([, name = ""]) => name);
      const values = defaults.trim().split(", ");
      return listed.map((name, i) => [name, values.length === listed.length ? (values[i] ?? "") : defaults.trim()]);
    }),
  );
}

function commandForms(): Record<string, CommandForm> {
  const { commands } = helpJson(COMMANDS, { type: "all" });
  return Object.fromEntries(
    commands.map(({ name, arguments: taken, options }) => [
      name,
      {
        arguments: taken.map(({ name, required, values }) => ({ name, required, values })),
        options: Object.fromEntries(options.map(({ name, type, required }) => [name, { type, required }])),
      },
    ]),
  );
}
