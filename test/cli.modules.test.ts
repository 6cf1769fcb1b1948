/**
 * Which modules commands load, because each costs time at the start of every command: nothing of the service, and only the form of
 * the spool in use. Modules count as loaded if files import them statically.
 */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { it } from "node:test";
import { CHECKOUT } from "./support/program.ts";

/** Imports that remain when types are removed. Dynamic ones, `import("…")`, are none of them. */
const IMPORT = /^(?:import|export)\s+(?!type\b)(?:[^;"]*?\bfrom\s+)?"([^"]+)"/gm;

/** The files and packages that are loaded with these files, without Node's own modules. */
function loadedWith(...files: string[]): Set<string> {
  const loaded = new Set<string>();
  const visit = (file: string): void => {
    if (loaded.has(file)) return;
    loaded.add(file);
    if (!/\.tsx?$/.test(file)) return;
    for (const [, name = ""] of readFileSync(join(CHECKOUT, "src", file), "utf8").matchAll(IMPORT)) {
      if (name.startsWith("node:")) continue;
      visit(name.startsWith(".") ? normalize(join(dirname(file), name)) : name);
    }
  };
  for (const file of files) visit(file);
  return loaded;
}

const packagesOf = (loaded: Set<string>): string[] => [...loaded].filter((name) => !/\.(tsx?|json)$/.test(name)).sort();

/** What every command loads that opens the spool in SQLite files. */
const WITH_SQLITE = [
  "cli.ts",
  "service/run-command.ts",
  "service/sqlite-maintenance.ts",
  "spool/engine/sqlite/sqlite-spool.ts",
];

it("help, completion and --version load declarations alone", () => {
  const loaded = loadedWith("cli.ts");
  assert.deepEqual(packagesOf(loaded), []);
  const folders = new Set([...loaded].map((file) => file.split("/").slice(0, -1).join("/")));
  assert.deepEqual(
    [...folders].filter((folder) =>
      /^(http|dashboard|delivery|submission|inbound|webhooks|spool\/(?!port))/.test(folder),
    ),
    [],
  );
  assert.ok(loaded.size < 60, [...loaded].join("\n"));
});

it("listings load the form of the spool in use, and nothing of the service", () => {
  for (const file of [
    "cli/queue-list.ts",
    "cli/domain-list.ts",
    "cli/message-list.ts",
    "cli/messages.ts",
    "cli/destinations.ts",
    "cli/users.ts",
    "cli/suppressions.ts",
  ]) {
    const loaded = loadedWith(...WITH_SQLITE, file);
    assert.deepEqual(packagesOf(loaded), [], file);
    const service = [...loaded].filter((name) =>
      /^(http|dashboard|delivery|submission|inbound|webhooks|spool\/postgres)\//.test(name),
    );
    assert.deepEqual(service, [], file);
  }
});

it("only mcp loads the SDK of its protocol", () => {
  const sdk = (file: string): string[] =>
    packagesOf(loadedWith(file)).filter((name) => /modelcontextprotocol|^zod/.test(name));
  const commands = readdirSync(join(CHECKOUT, "src/cli")).filter((file) => file.endsWith(".ts") && file !== "mcp.ts");
  for (const file of ["cli.ts", "main.ts", "service/run-command.ts", ...commands.map((name) => `cli/${name}`)])
    assert.deepEqual(sdk(file), [], file);
  assert.notDeepEqual(sdk("cli/mcp.ts"), []);
});
