/**
 * Clients that openapi-typescript, @hey-api/openapi-ts and orval generate from the live document: they compile, wrong
 * calls do not, and each sends, waits, looks up and lists. The generators are installed for this test only, in a
 * temporary directory, from the lock file in test/generated-clients.
 */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { copyFileSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { tempDir } from "../support/temp-dir.ts";
import { RECIPIENT_DOMAIN, SENDER_DOMAIN, startWorld, type World } from "../support/world.ts";

const run = promisify(execFile);

const SOURCES = fileURLToPath(new URL("../generated-clients/", import.meta.url));
const CLIENTS = ["openapi-fetch", "hey-api", "orval"];
const COMMANDS = [
  "openapi-typescript openapi.json -o generated/openapi-typescript/schema.ts",
  "openapi-ts -i openapi.json -o generated/hey-api",
  "orval --config orval.config.cjs",
];
const COMMAND_LIMIT_MS = 300_000;
const MARK = /\/\/ (TS\d+)$/;

const WANTED = process.env.CI === "true" || process.env.POSTRIDER_CLIENTS === "1";
const skip = WANTED ? false : "needs the client generators from npm, so it runs with CI=true or POSTRIDER_CLIENTS=1";

test("clients generated from /openapi.json", { skip, timeout: 2 * COMMAND_LIMIT_MS }, async (t) => {
  const world = await startWorld(t);
  const dir = await generate(t, world);
  await t.test("compile under strict, and wrong calls do not compile", () => compile(dir));
  for (const name of CLIENTS) await t.test(`${name}: send, wait, look up, list`, () => use(dir, name, world));
});

/** The directory with the generated clients and the programs that use them. */
async function generate(t: TestContext, { service }: World): Promise<string> {
  const dir = tempDir(t);
  for (const name of ["package.json", "package-lock.json"]) copyFileSync(join(SOURCES, name), join(dir, name));
  for (const name of readdirSync(join(SOURCES, "clients")))
    copyFileSync(join(SOURCES, "clients", name), join(dir, name));
  const document = await fetch(`${service.url}/openapi.json`);
  writeFileSync(join(dir, "openapi.json"), await document.text());
  const options = { cwd: dir, timeout: COMMAND_LIMIT_MS, env: { ...process.env, SERVICE_URL: service.url } };
  await run("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund"], options);
  for (const command of COMMANDS) {
    const [name = "", ...words] = command.split(" ");
    await run(join(dir, "node_modules/.bin", name), words, options);
  }
  return dir;
}

/** Compiles everything; the compiler must report exactly the marked lines, each with the marked code. */
async function compile(dir: string): Promise<void> {
  const tsc = run(join(dir, "node_modules/.bin/tsc"), ["-p", dir, "--pretty", "false"], { cwd: dir });
  const output = await tsc.then(
    ({ stdout }) => stdout,
    (error: { stdout?: string }) => error.stdout ?? assert.fail(String(error)),
  );
  const reported = [...output.matchAll(/^(\S+?)\((\d+),\d+\): error (TS\d+)/gm)];
  const marked = CLIENTS.flatMap((name) => marksIn(dir, `${name}-mistakes.ts`));
  assert.ok(marked.length > 3 * CLIENTS.length);
  assert.deepEqual(
    reported.map(([, file, line, code]) => `${file}:${line} ${code}`).toSorted(),
    marked.toSorted(),
    output,
  );
}

function marksIn(dir: string, file: string): string[] {
  const lines = readFileSync(join(dir, file), "utf8").split("\n");
  return lines.flatMap((line, i) => {
    const [, code] = MARK.exec(line) ?? [];
    return code === undefined ? [] : [`${file}:${i + 1} ${code}`];
  });
}

async function use(dir: string, name: string, { service, key }: World): Promise<void> {
  const { runScenario } = await import(pathToFileURL(join(dir, "compiled", `${name}.js`)).href);
  const to = `delivered+${name}@${RECIPIENT_DOMAIN}`;
  const { id, ...found } = await runScenario({ url: service.url, key, from: `hello@${SENDER_DOMAIN}`, to });
  assert.match(id, /^msg_/);
  assert.deepEqual(found, {
    result: "delivered",
    reason: null,
    subject: `By ${name}`,
    listed: [id],
    code: "sender_not_allowed",
  });
}
