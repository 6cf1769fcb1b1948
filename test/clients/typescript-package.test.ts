/** The TypeScript client as it is packed: installed from the tarball, type-checked, and run, with Node and with web globals alone. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { promisify } from "node:util";
import { createContext, runInContext } from "node:vm";
import { build } from "esbuild";
import { sign } from "../../src/webhooks/signature.ts";
import { codeBlocks } from "../docs/markdown.ts";
import { installTypescriptClient, operatorKey, useOf } from "../support/client-packages.ts";
import { CHECKOUT } from "../support/program.ts";
import { RECIPIENT_DOMAIN, SENDER_DOMAIN, startWorld, type World } from "../support/world.ts";
import { SCENARIO_FINDINGS } from "./scenario-findings.ts";

const run = promisify(execFile);
const PROGRAMS = join(CHECKOUT, "test/clients/programs");
const LIMIT_MS = 120_000;

test("the packed client", { timeout: 5 * LIMIT_MS }, async (t) => {
  const app = await installTypescriptClient(t);
  await t.test("has what the licence and the types need, and depends on nothing", () => requireFiles(app));
  await t.test("compiles, and wrong calls do not compile", () => compile(app));
  const world = await startWorld(t, { WEBHOOK_ALLOW_PRIVATE: "true" });
  const key = await operatorKey(world);
  await t.test("sends, waits, lists, follows, manages and verifies", () => useWithNode(app, world, key));
  await t.test("needs web globals alone", (t) => useInBrowser(t, { app, world, key }));
});

function requireFiles(app: string): void {
  assert.deepEqual(
    readdirSync(join(app, "node_modules")).filter((name) => !name.startsWith(".")),
    ["postrider-client"],
  );
  const installed = join(app, "node_modules/postrider-client");
  for (const name of ["LICENSE", "README.md", "dist/index.js", "dist/index.d.ts"])
    assert.ok(existsSync(join(installed, name)), name);
  const files = readdirSync(join(installed, "dist"), { recursive: true, encoding: "utf8" });
  assert.deepEqual(
    files.filter((file) => /\.ts$/.test(file) && !file.endsWith(".d.ts")),
    [],
  );
  for (const file of files.filter((file) => /\.(js|ts)$/.test(file)))
    assert.doesNotMatch(readFileSync(join(installed, "dist", file), "utf8"), /from "(node:|\.[^"]*\.ts")/, file);
}

/** The compiler must report exactly the marked lines, each with the marked code. */
async function compile(app: string): Promise<void> {
  for (const name of readdirSync(PROGRAMS)) cpSync(join(PROGRAMS, name), join(app, name), { dereference: true });
  const documents = ["docs/API.md", "clients/typescript/README.md"];
  for (const [i, document] of documents.entries()) writeFileSync(join(app, `document-${i}.mts`), programOf(document));
  mkdirSync(join(app, "node_modules/@types"));
  for (const name of ["@types/node", "undici-types"])
    symlinkSync(join(CHECKOUT, "node_modules", name), join(app, "node_modules", name));
  const tsc = run(
    process.execPath,
    [join(CHECKOUT, "node_modules/typescript/bin/tsc"), "-p", ".", "--pretty", "false"],
    {
      cwd: app,
      timeout: LIMIT_MS,
    },
  );
  const output = await tsc.then(
    ({ stdout }) => stdout,
    (error: { stdout?: string }) => error.stdout ?? assert.fail(String(error)),
  );
  const reported = [...output.matchAll(/^(\S+?)\((\d+),\d+\): error (TS\d+)/gm)];
  const marked = readFileSync(join(app, "mistakes.mts"), "utf8")
    .split("\n")
    .flatMap((line, i) => {
      const [, code] = /\/\/ (TS\d+)$/.exec(line) ?? [];
      return code === undefined ? [] : [`mistakes.mts:${i + 1} ${code}`];
    });
  assert.ok(marked.length > 5);
  assert.deepEqual(
    reported.map(([, file, line, code]) => `${file}:${line} ${code}`),
    marked,
    output,
  );
}

/** The blocks of a document as one program. */
function programOf(document: string): string {
  const blocks = codeBlocks(readFileSync(join(CHECKOUT, document), "utf8")).filter(({ language }) => language === "ts");
  assert.ok(blocks.length > 0, document);
  return blocks.map(({ text }) => text).join("\n");
}

async function useWithNode(app: string, world: World, key: string): Promise<void> {
  const options = { cwd: app, env: { PATH: process.env.PATH, ...useOf(world, key) }, timeout: LIMIT_MS };
  const { stdout } = await run(process.execPath, [join(app, "compiled/scenario.mjs")], options);
  assert.deepEqual(JSON.parse(stdout), SCENARIO_FINDINGS);
}

const WEB_GLOBALS = {
  fetch,
  crypto,
  AbortController,
  AbortSignal,
  URL,
  URLSearchParams,
  TextEncoder,
  TextDecoder,
  atob,
  btoa,
  setTimeout,
  clearTimeout,
};

const WEB_PROGRAM = `
import { Postrider, verifyWebhook } from "postrider-client";
globalThis.main = async ({ url, key, from, to, hook }) => {
  const client = new Postrider({ url, key });
  const { id } = await client.send({ from, to, subject: "From a browser", text: "Hi" });
  const [{ result }] = (await client.lookUpMessage(id, { wait: 60 })).recipients;
  const { type } = await verifyWebhook(hook);
  const code = await client.getKey("unknown").catch((error) => error.code);
  return [result, type, code, typeof process, typeof Buffer].join();
};
`;

async function useInBrowser(
  t: TestContext,
  { app, world, key }: { app: string; world: World; key: string },
): Promise<void> {
  const { outputFiles } = await build({
    stdin: { contents: WEB_PROGRAM, resolveDir: app },
    bundle: true,
    write: false,
    platform: "browser",
    format: "iife",
    logLevel: "silent",
  });
  const context = createContext({ ...WEB_GLOBALS });
  runInContext(outputFiles[0]?.text ?? t.assert.fail("no bundle"), context);
  const found = await (context.main as (given: unknown) => Promise<string>)({
    url: world.service.url,
    key,
    from: `hello@${SENDER_DOMAIN}`,
    to: `delivered@${RECIPIENT_DOMAIN}`,
    hook: signedHook(),
  });
  assert.equal(found, "delivered,recipient.delivered,not_found,undefined,undefined");
}

function signedHook(): { body: string; headers: Headers; secret: string } {
  const secret = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;
  const body = '{"type":"recipient.delivered","data":{}}';
  const timestampS = Math.floor(Date.now() / 1000);
  const headers = new Headers({
    "webhook-id": "evt_1",
    "webhook-timestamp": String(timestampS),
    "webhook-signature": sign(secret, { id: "evt_1", timestampS, body }),
  });
  return { body, headers, secret };
}
