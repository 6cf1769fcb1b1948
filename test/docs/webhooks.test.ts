/**
 * The programs of docs/WEBHOOKS.md as they stand: each accepts what the endpoint's secret has signed, also during a rotation,
 * and nothing else. The requests are signed by the package standardwebhooks.
 */
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, type TestContext, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { Webhook } from "standardwebhooks";
import { HOUR_MS, MINUTE_MS } from "../../src/lib/units.ts";
import { EVENT_TYPES } from "../../src/spool/port/events.ts";
import { WEBHOOK_GAPS_MS } from "../../src/webhooks/retry-schedule.ts";
import { withoutProgram } from "../support/debian-program.ts";
import { contractOf } from "../support/openapi.ts";
import { CHECKOUT } from "../support/program.ts";
import { tempDir } from "../support/temp-dir.ts";
import { startWorld } from "../support/world.ts";

const DOCUMENT = readFileSync(new URL("../../docs/WEBHOOKS.md", import.meta.url), "utf8");
const BLOCKS = [...DOCUMENT.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].map(([, language, text = ""]) => ({
  language,
  text,
}));

interface Language {
  /** As the block is marked. */
  name: string;
  program: string;
  debianPackage: string;
  file: string;
  args(port: number): string[];
}

const LANGUAGES: Language[] = [
  { name: "js", program: "node", debianPackage: "nodejs", file: "endpoint.mjs", args: () => [] },
  { name: "python", program: "python3", debianPackage: "python3", file: "endpoint.py", args: () => [] },
  {
    name: "php",
    program: "php",
    debianPackage: "php-cli",
    file: "endpoint.php",
    args: (port) => ["-S", `127.0.0.1:${port}`],
  },
  { name: "go", program: "go", debianPackage: "golang-go", file: "endpoint.go", args: () => ["run"] },
];

/** Returns the one block of a language. */
function blockOf(name: string): string {
  const [block, ...others] = BLOCKS.filter(({ language }) => language === name);
  assert.ok(block !== undefined && others.length === 0, `one block in ${name}`);
  return block.text;
}

const newSecret = (): string => `whsec_${randomBytes(32).toString("base64")}`;

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

interface Running {
  url: string;
  secret: string;
  output(): string;
}

/** Starts the program of a language, and waits until it listens. */
async function startEndpoint(t: TestContext, { name, program, file, args }: Language): Promise<Running> {
  const [dir, port, secret] = [tempDir(t), await freePort(), newSecret()];
  mkdirSync(join(dir, "go"));
  symlinkSync(join(CHECKOUT, "node_modules"), join(dir, "node_modules"));
  writeFileSync(join(dir, file), blockOf(name));
  const env = {
    PATH: process.env.PATH ?? "",
    PORT: String(port),
    WEBHOOK_SECRET: secret,
    HOME: dir,
    GOCACHE: join(dir, "go"),
  };
  // A group of its own: `go run` starts another process.
  const child = spawn(program, [...args(port), file], { cwd: dir, env, detached: true });
  t.after(() => stop(child));
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => (output += chunk.toString()));
  const url = `http://127.0.0.1:${port}/${file}`;
  // The test's time limit ends this.
  while (
    !(await fetch(url, { method: "POST" }).then(
      () => true,
      () => false,
    ))
  ) {
    assert.equal(child.exitCode, null, output);
    await delay(50);
  }
  return { url, secret, output: () => output };
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.pid === undefined) return;
  process.kill(-child.pid, "SIGKILL");
  await once(child, "close");
}

interface Post {
  id: string;
  body: string;
  at?: Date;
  /** Of each signature. */
  secrets: string[];
  /** What arrives instead of the body. */
  arrives?: string;
}

async function post(url: string, { id, body, at = new Date(), secrets, arrives = body }: Post): Promise<number> {
  const signatures = secrets.map((secret) => new Webhook(secret).sign(id, at, body));
  const headers = {
    "Content-Type": "application/json",
    "webhook-id": id,
    "webhook-timestamp": String(Math.floor(at.getTime() / 1000)),
    "webhook-signature": signatures.join(" "),
  };
  return (await fetch(url, { method: "POST", headers, body: arrives })).status;
}

const bodyOf = (id: string, parts: object = {}): string =>
  JSON.stringify({
    type: "message.accepted",
    data: { id, type: "message.accepted", recipient: null, note: "Zürich ✓", ...parts },
  });

/** The last line that the program has printed is of the event that was sent last. */
async function accepts({ url, secret, output }: Running): Promise<void> {
  const other = newSecret();
  assert.equal(await post(url, { id: "evt_a", body: bodyOf("evt_a"), secrets: [secret] }), 204);
  const body = bodyOf("evt_b", { recipient: { email: "ann@customers.example" } });
  assert.equal(await post(url, { id: "evt_b", body, secrets: [other, secret] }), 204, "the second signature");
  assert.equal(await post(url, { id: "evt_c", body: bodyOf("evt_c"), secrets: [secret, other] }), 204, "the first one");
  const test = { id: "evt_t", body: bodyOf("evt_t", { test: true }), secrets: [secret] };
  assert.equal(await post(url, test), 204, "a test event");
  while (!output().includes("test event")) await delay(10);
  assert.match(output(), /evt_a message\.accepted.*evt_b message\.accepted ann@customers\.example.*evt_c.*test event/s);
  assert.ok(!output().includes("evt_t"), "a test event is not taken for an event");
}

async function rejects({ url, secret, output }: Running): Promise<void> {
  const other = newSecret();
  const ago = (seconds: number): Date => new Date(Date.now() - 1000 * seconds);
  const body = bodyOf("evt_x");
  const posts: Record<string, Post> = {
    "another secret": { id: "evt_x", body, secrets: [other] },
    "another body": { id: "evt_x", body, secrets: [secret], arrives: body.replace("accepted", "rejected") },
    "no signature": { id: "evt_x", body, secrets: [] },
    "an old request": { id: "evt_x", body, at: ago(400), secrets: [secret] },
    "a request from the future": { id: "evt_x", body, at: ago(-400), secrets: [secret] },
  };
  for (const [name, request] of Object.entries(posts)) assert.equal(await post(url, request), 400, name);
  assert.equal((await fetch(url, { method: "POST", body })).status, 400, "no header fields");
  assert.ok(!output().includes("evt_x"), output());
}

// They mostly wait for a compiler or a process.
describe("the programs", { concurrency: true }, () => {
  for (const language of LANGUAGES) {
    test(`in ${language.name}: accepts what was signed, and nothing else`, { timeout: 300_000 }, async (t) => {
      const missing = withoutProgram(language.program, language.debianPackage);
      if (missing !== false) return t.skip(missing);
      const running = await startEndpoint(t, language);
      await accepts(running);
      await rejects(running);
    });
  }
});

test("every program of the document is run here", () => {
  const names = BLOCKS.map(({ language }) => language).filter((language) => language !== "json");
  assert.deepEqual(names.toSorted(), LANGUAGES.map(({ name }) => name).toSorted());
});

test("the example is a body as the API describes it", async (t) => {
  const { holdWebhook } = await contractOf((await startWorld(t)).service.url);
  holdWebhook(JSON.parse(blockOf("json")) as { type: string });
});

test("the table has every type of event", () => {
  const named = [...DOCUMENT.matchAll(/^\| `([a-z]+\.[a-z]+)` \|/gm)].map(([, type]) => type);
  assert.deepEqual(named.toSorted(), EVENT_TYPES.toSorted());
});

function written(ms: number): string {
  if (ms >= HOUR_MS) return `${ms / HOUR_MS} h`;
  return ms >= MINUTE_MS ? `${ms / MINUTE_MS} min` : `${ms / 1000} s`;
}

test("the waits between attempts are those of the code", () => {
  const gaps = WEBHOOK_GAPS_MS.map(written);
  const stated = `${gaps.slice(0, -1).join(", ")} and ${gaps.at(-1)}, each ±10 %`;
  assert.ok(DOCUMENT.replaceAll("\n", " ").includes(`sent again after ${stated}`), stated);
});
