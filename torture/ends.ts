/**
 * Other ends than SIGKILL: SIGTERM under load, which must leave nothing unknown where peers answer; a second service on one
 * spool; a file whose last page or last log frames are damaged.
 */
import { closeSync, existsSync, openSync, readSync, statSync, writeSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { Chance } from "../simulate/chance.ts";
import { House } from "./house.ts";
import { newIntents, send, unanswered } from "./load.ts";
import { must, type Story, type StoryOptions, type Told } from "./story.ts";

const WIDTH = 40;
/** These peers reply at once: a stop takes the 3 s that a transaction may take to its final dot, and some for the rest. */
const STOP_LIMIT_MS = 15_000;
const STOPS = 10;
const PAGE_BYTES = 4096;
/** All that a service without a user says on standard error. */
const QUIET = /^(?:postrider: there is no user yet; [^\n]+\n)?$/;

export const stopUnderLoad: Story = { name: "stop-under-load", tell: stop };
export const twoServices: Story = { name: "two-services", tell: startTwice };
export const tornPage: Story = { name: "torn-page", tell: tear };

async function stop({ chance, rounds }: StoryOptions): Promise<Told> {
  const house = await House.build({ chance });
  const violations: string[] = [];
  const stops = Math.min(STOPS, rounds);
  let slowestMs = 0;
  try {
    for (let i = 0; i < stops; i += 1) {
      const service = await house.startOrFail();
      newIntents(house.books, chance, 200);
      const sending = send({ house, chance, url: service.url, intents: unanswered(house.books), width: WIDTH });
      await delay(chance.next() * 800);
      const sinceMs = performance.now();
      const { code, stderr } = await service.kill("SIGTERM");
      slowestMs = Math.max(slowestMs, performance.now() - sinceMs);
      await sending;
      const unknown = house.count("SELECT count(*) FROM recipients WHERE state IN ('unknown', 'marked')") ?? 0;
      violations.push(
        ...must(code === 0 && QUIET.test(stderr), `SIGTERM ended with ${code}: ${stderr}`),
        ...must(unknown === 0, `SIGTERM left ${unknown} recipients in doubt`),
        ...(await house.audit({ expectEnd: false })),
      );
    }
    violations.push(...must(slowestMs < STOP_LIMIT_MS, `a stop took ${Math.round(slowestMs)} ms`));
    const figures = `${stops} stops, the slowest ${Math.round(slowestMs)} ms, ${house.books.answered.length} mails answered 202`;
    return { figures, violations };
  } finally {
    await house.close();
  }
}

async function startTwice({ chance }: StoryOptions): Promise<Told> {
  const house = await House.build({ chance });
  try {
    const first = await house.startOrFail();
    const second = await house.start();
    const said = "refused" in second ? second.refused.stderr : "it started";
    newIntents(house.books, chance, 20);
    await send({ house, chance, url: first.url, intents: unanswered(house.books), width: WIDTH });
    await house.drained();
    await first.kill("SIGTERM");
    const isOneLine = "refused" in second && second.refused.code === 1 && /^postrider: another [^\n]+\n$/.test(said);
    const violations = [...must(isOneLine, `the second said: ${said}`), ...(await house.audit({ expectEnd: true }))];
    return { figures: `the second says: ${said.trim()}`, violations };
  } finally {
    await house.close();
  }
}

/**
 * Damage that no program can undo. What is asked of the service: it starts and serves what is sound, or it refuses in one
 * line; it never dies of it, never answers 500, and never sends twice.
 */
async function tear({ chance, rounds }: StoryOptions): Promise<Told> {
  const violations: string[] = [];
  const seen: Record<string, number> = {};
  for (let i = 0; i < Math.min(STOPS, rounds); i += 1) {
    const house = await House.build({ chance });
    try {
      const isLog = await damaged(house, chance);
      const outcome = await lives(house, chance, violations);
      const name = `${isLog ? "log" : "page"}: ${outcome}`;
      seen[name] = (seen[name] ?? 0) + 1;
    } finally {
      await house.close();
    }
  }
  const figures = Object.entries(seen).map(([name, count]) => `${name} ${count} times`);
  return { figures: figures.join(", "), violations };
}

/** Mail, then a kill, then bytes of the log's end or the file's last page turned; whether it was the log. */
async function damaged(house: House, chance: Chance): Promise<boolean> {
  const service = await house.startOrFail();
  newIntents(house.books, chance, 100);
  await send({ house, chance, url: service.url, intents: unanswered(house.books), width: WIDTH });
  const isLog = chance.hit(0.5);
  // The log's end is the last commit: of a mark it would be the only evidence, and no program could know of the mail.
  if (isLog) await house.drained();
  await service.kill(isLog ? "SIGKILL" : "SIGTERM");
  const file = join(house.env.DATA_DIR ?? "", isLog ? "postrider.db-wal" : "postrider.db");
  if (!existsSync(file)) return isLog;
  const at = statSync(file).size - PAGE_BYTES;
  const bytes = Buffer.alloc(PAGE_BYTES);
  const handle = openSync(file, "r+");
  readSync(handle, bytes, 0, PAGE_BYTES, at);
  for (let turned = 0; turned < 64; turned += 1) bytes[chance.whole(0, PAGE_BYTES - 1)] = chance.whole(0, 255);
  writeSync(handle, bytes, 0, PAGE_BYTES, at);
  closeSync(handle);
  return isLog;
}

async function lives(house: House, chance: Chance, violations: string[]): Promise<string> {
  const started = await house.start();
  if ("refused" in started) {
    const { code, stderr } = started.refused;
    violations.push(
      ...must(code === 1 && /^postrider: DATA_DIR=[^\n]+\n$/.test(stderr), `a start on damage said: ${stderr}`),
    );
    return "refused in one line";
  }
  newIntents(house.books, chance, 50);
  const { refused } = await send({ house, chance, url: started.url, intents: unanswered(house.books), width: WIDTH });
  const isAlive = (await fetch(`${started.url}/healthz`)).status === 200;
  const { code, stderr } = await started.kill("SIGTERM");
  const others = [...refused.keys()].filter((name) => name !== "503 engine_unavailable");
  violations.push(
    ...must(isAlive, "damage ended the service"),
    ...must(others.length === 0, `damage was answered ${others.join(", ")}`),
    ...must(code === 0, `after damage the service ended with ${code}: ${stderr.slice(0, 300)}`),
    ...takenTwice(house),
  );
  return refused.size > 0 ? "503 for what it touches" : "all served";
}

/** After damage a mail may be lost; sent twice in silence it may not be. */
function takenTwice({ books }: House): string[] {
  const names = books.taken.map(({ messageId, recipient }) => `${messageId} ${recipient}`);
  return must(new Set(names).size === names.length, "after damage a recipient was sent the same mail twice");
}
