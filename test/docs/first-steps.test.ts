/**
 * The programs of docs/examples as they stand: each prints the records of a domain, which the test publishes, and ends with a key, a
 * webhook and the result of a first message.
 */
import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { cpSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { type TestContext, test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { installTypescriptClient, operatorKey, PYTHON_ENV, withoutPython } from "../support/client-packages.ts";
import { withoutCurl } from "../support/curl.ts";
import { CHECKOUT } from "../support/program.ts";
import { startWebhookReceiver } from "../support/webhook-receiver.ts";
import { RECIPIENT_DOMAIN, sendBody, startWorld, type World } from "../support/world.ts";

const run = promisify(execFile);
const EXAMPLES = join(CHECKOUT, "docs/examples");
const DOMAIN = "first.example";
const LINES_MAX = 30;
const LIMIT_MS = 120_000;
const [MAJOR = 0, MINOR = 0] = process.versions.node.split(".").map(Number);
/** Node runs TypeScript by itself from version 22.18 on. */
const LOADER =
  MAJOR > 22 || (MAJOR === 22 && MINOR >= 18)
    ? []
    : ["--import", pathToFileURL(createRequire(import.meta.url).resolve("tsx")).href];

test("the examples are short, and each is run here", () => {
  const files = readdirSync(EXAMPLES).sort();
  assert.deepEqual(files, ["first-steps.mts", "first-steps.py", "first-steps.sh"]);
  for (const file of files)
    assert.ok(readFileSync(join(EXAMPLES, file), "utf8").trimEnd().split("\n").length <= LINES_MAX, file);
});

test("with curl", { skip: withoutCurl(), timeout: LIMIT_MS }, (t) =>
  takeFirstSteps(t, { command: ["sh", join(EXAMPLES, "first-steps.sh")] }),
);

test("with Python", { skip: withoutPython(), timeout: LIMIT_MS }, (t) =>
  takeFirstSteps(t, { command: ["python3", join(EXAMPLES, "first-steps.py")], env: PYTHON_ENV }),
);

test("with TypeScript", { timeout: 2 * LIMIT_MS }, async (t) => {
  const app = await installTypescriptClient(t);
  const program = join(app, "first-steps.mts");
  cpSync(join(EXAMPLES, "first-steps.mts"), program);
  cpSync(join(CHECKOUT, "node_modules/@types/node"), join(app, "node_modules/@types/node"), { recursive: true });
  cpSync(join(CHECKOUT, "node_modules/undici-types"), join(app, "node_modules/undici-types"), { recursive: true });
  const compilerOptions = { module: "NodeNext", strict: true, noEmit: true, types: ["node"], target: "ES2022" };
  writeFileSync(join(app, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["*.mts"] }));
  const tsc = join(CHECKOUT, "node_modules/typescript/bin/tsc");
  await run(process.execPath, [tsc, "-p", app], { timeout: LIMIT_MS });
  await takeFirstSteps(t, { command: [process.execPath, ...LOADER, program] });
});

async function takeFirstSteps(
  t: TestContext,
  { command, env }: { command: readonly string[]; env?: Record<string, string> },
): Promise<void> {
  const world = await startWorld(t, { WEBHOOK_ALLOW_PRIVATE: "true" });
  const receiver = await startWebhookReceiver(t);
  const key = await operatorKey(world);
  const use = { PATH: process.env.PATH, POSTRIDER_URL: world.service.url, POSTRIDER_KEY: key, ...env };
  const [program = "", ...args] = [...command, DOMAIN, `delivered@${RECIPIENT_DOMAIN}`, receiver.url];
  const child = spawn(program, args, { env: use, stdio: ["ignore", "pipe", "pipe"] });
  t.after(() => child.kill());
  let errors = "";
  child.stderr.on("data", (chunk: Buffer) => {
    errors += chunk.toString();
  });
  const ended = new Promise((resolve) => child.on("close", resolve));
  const lines: string[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    lines.push(line);
    publish(world, line);
  }
  assert.equal(await ended, 0, `${lines.join("\n")}\n${errors}`);
  assert.equal(lines[0], "Publish these records:");
  assert.equal(lines.at(-1), "Result: delivered");
  const made = textAfter(lines, "Key: ");
  const denied = await world.post(sendBody(), { Authorization: `Bearer ${made}` });
  assert.deepEqual([denied.status, ((await denied.json()) as { code: string }).code], [403, "sender_not_allowed"]);
  const secret = textAfter(lines, "Webhook secret: ");
  while (!receiver.received.some(({ body }) => body.includes("recipient.delivered"))) await nextTurn();
  assert.ok(receiver.received.every((each) => each.isSignedWith(secret)));
}

/** Publishes the record of a line, as a person would. */
function publish({ zone }: World, line: string): void {
  const [, name, type, value] = /^(\S+) (TXT|MX) (.+)$/.exec(line) ?? [];
  if (name === undefined || value === undefined) return;
  zone.set(name, type as "TXT" | "MX", [value]);
  if (type === "MX") zone.set(value.split(" ")[1] ?? "", "A", ["127.0.0.1"]);
}

function textAfter(lines: readonly string[], label: string): string {
  return lines.find((line) => line.startsWith(label))?.slice(label.length) ?? assert.fail(`no line ${label}`);
}
