/** The program of docs/API.md that follows the feed, as written: it goes on where it was stopped, and begins again. */
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { isFinal, pollUntil, send } from "../support/api-client.ts";
import { apiTarget } from "../support/peers.ts";
import { tempDir } from "../support/temp-dir.ts";
import { sendBody, startWorld, type World } from "../support/world.ts";

const CURSOR_FILE = "events.cursor";

function programOf(page: string): string {
  const markdown = readFileSync(new URL(`../../docs/${page}`, import.meta.url), "utf8");
  const programs = [...markdown.matchAll(/^```js\n([\s\S]*?)^```$/gm)].map(([, text = ""]) => text);
  return programs.find((text) => text.includes("/api/sending/events")) ?? assert.fail("no program");
}

class Follower {
  #stdout = "";
  readonly #child: ChildProcess;

  constructor(t: TestContext, dir: string, key: string) {
    const env = { PATH: process.env.PATH ?? "", KEY: key };
    this.#child = spawn(process.execPath, ["follow.mjs"], { cwd: dir, env, stdio: ["ignore", "pipe", "inherit"] });
    this.#child.stdout?.on("data", (chunk: Buffer) => {
      this.#stdout += chunk.toString();
    });
    t.after(() => this.#child.kill());
  }

  /** Waits until it has printed this many events. */
  async events(count: number): Promise<string[][]> {
    const lines = (): string[] => this.#stdout.split("\n").filter(Boolean);
    while (lines().length < count) await once(this.#child.stdout ?? assert.fail(), "data");
    return lines().map((line) => line.split(" ").slice(1));
  }

  async stop(): Promise<void> {
    this.#child.kill();
    await once(this.#child, "exit");
  }
}

async function sent(world: World): Promise<string> {
  const id = await send(apiTarget(world), sendBody());
  await pollUntil(apiTarget(world), id, isFinal);
  return id;
}

const ofMessage = (id: string): string[][] => [
  ["message.accepted", id, ""],
  ["recipient.delivered", id, "delivered@customers.example"],
];

test("the program that follows events", { timeout: 60_000 }, async (t) => {
  const world = await startWorld(t);
  const dir = tempDir(t);
  writeFileSync(join(dir, "follow.mjs"), programOf("API.md").replaceAll("http://localhost:8080", world.service.url));
  const start = (): Follower => new Follower(t, dir, world.key);

  const first = await sent(world);
  let follower = start();
  assert.deepEqual(await follower.events(2), ofMessage(first));
  const second = await sent(world);
  assert.deepEqual(await follower.events(4), [...ofMessage(first), ...ofMessage(second)], "waits for more");
  const cursorFile = join(dir, CURSOR_FILE);
  const answer = await fetch(`${world.service.url}/api/sending/events?limit=100`, {
    headers: { Authorization: `Bearer ${world.key}` },
  });
  const { next } = (await answer.json()) as { next: string };
  // The program stores the cursor after it has printed the events.
  while (readFileSync(cursorFile, "utf8") !== next) await delay(10);
  await follower.stop();

  const third = await sent(world);
  follower = start();
  assert.deepEqual(await follower.events(2), ofMessage(third), "goes on where it was stopped");
  await follower.stop();

  const nowMs = Date.now() + 1000;
  await world.service.spool.applyRetention({ nowMs, contentsBeforeMs: nowMs, resultsBeforeMs: nowMs, limit: 100 });
  writeFileSync(cursorFile, "p0");
  const fourth = await sent(world);
  follower = start();
  assert.deepEqual(await follower.events(2), ofMessage(fourth), "begins again after 410");
  await follower.stop();
});
