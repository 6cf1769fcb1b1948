/**
 * Pages of the spool's file that cannot be read, while mail waits in it: of contents, of a table's middle, of an index. The
 * service starts, quarantines what it cannot read and reports it, delivers all the rest, and takes new mail.
 */
import { closeSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { runCommandLine } from "../src/app/wiring/command-line.ts";
import Sqlite from "../src/spool/sqlite/driver.ts";
import { Harness, type RunningService } from "./harness.ts";
import { newIntents, send, unsent } from "./load.ts";
import { type Scenario, type ScenarioOptions, type ScenarioResult, violationUnless } from "./scenario.ts";

const WIDTH = 40;
const MESSAGES = 300;
const PATIENCE_MS = 60_000;

export const damagedPages: Scenario = { name: "damaged-pages", run };

async function run({ prng }: ScenarioOptions): Promise<ScenarioResult> {
  const harness = await Harness.create({ prng, rates: { peer_defers: 1 }, env: { RETRY_SCHEDULE: "2s" } });
  try {
    const before = await harness.startOrFail();
    newIntents(harness.history, prng, MESSAGES);
    await send({ harness, prng, url: before.url, intents: unsent(harness.history), width: WIDTH });
    await before.kill("SIGTERM");
    const pages = damage(join(harness.env.DATA_DIR ?? "", "postrider.db"));
    harness.stopFaults();
    const service = await harness.start();
    if ("refused" in service)
      return { figures: "no start", violations: [`a start on damaged pages said: ${service.refused.stderr}`] };
    return await checkOperation(harness, { prng, service, pages });
  } finally {
    await harness.close();
  }
}

/** One page of each kind is overwritten, and half of the large contents' pages. Returns how many. */
function damage(file: string): number {
  const db = new Sqlite(file);
  db.pragma("wal_checkpoint(TRUNCATE)");
  const pageBytes = db.pragma("page_size", { simple: true }) as number;
  const of = (name: string, type: string): number[] =>
    db
      .prepare("SELECT pageno FROM dbstat WHERE name = ? AND pagetype = ? ORDER BY path")
      .pluck()
      .all(name, type) as number[];
  const middle = (pages: number[]): number[] => pages.slice(pages.length >> 1, (pages.length >> 1) + 1);
  const overflow = of("contents", "overflow");
  const pages = [
    ...overflow.slice(0, overflow.length >> 1),
    ...middle(of("contents", "leaf")),
    ...middle(of("messages", "leaf")),
    ...middle(of("recipients_waiting", "leaf")),
  ];
  db.close();
  const handle = openSync(file, "r+");
  for (const page of pages) writeSync(handle, Buffer.alloc(pageBytes, 0xff), 0, pageBytes, (page - 1) * pageBytes);
  closeSync(handle);
  return pages.length;
}

interface CheckOptions {
  prng: ScenarioOptions["prng"];
  service: RunningService;
  pages: number;
}

async function checkOperation(harness: Harness, { prng, service, pages }: CheckOptions): Promise<ScenarioResult> {
  newIntents(harness.history, prng, MESSAGES);
  const fresh = harness.history.intents.slice(-MESSAGES);
  const { accepted } = await send({ harness, prng, url: service.url, intents: fresh, width: WIDTH });
  const isDrained = await waitUntilRestDrained(harness);
  const quarantined = harness.count("SELECT count(*) FROM quarantined") ?? 0;
  const metrics = await (await fetch(`${service.url}/metrics`)).text();
  const doctor = await cli(harness, ["doctor", "--json"]);
  const list = await cli(harness, ["queue", "quarantined"]);
  const { code, stderr } = await service.kill("SIGTERM");
  const names = harness.history.deliveries.map(({ messageId, recipient }) => `${messageId} ${recipient}`);
  return {
    figures: `${pages} pages damaged, ${quarantined} messages quarantined, ${names.length} recipients taken, ${accepted} of ${MESSAGES} new mails accepted`,
    violations: [
      ...violationUnless(quarantined > 0, "nothing was quarantined"),
      ...violationUnless(isDrained, "mail that can be read still waits"),
      ...violationUnless(accepted === MESSAGES, `only ${accepted} of ${MESSAGES} new mails were accepted`),
      ...violationUnless(new Set(names).size === names.length, "a recipient was sent the same mail twice"),
      ...violationUnless(
        metrics.includes(`postrider_quarantined_messages ${quarantined}\n`),
        "/metrics has another number",
      ),
      ...violationUnless(/"quarantine",\s+"state": "problem"/.test(doctor), `the doctor said: ${doctor}`),
      ...violationUnless(/"spool_file",\s+"state": "problem"/.test(doctor), "the doctor finds the file sound"),
      ...violationUnless(list.split("\n").length > quarantined, `the list of quarantined messages is ${list}`),
      ...violationUnless(code === 0, `the service ended with ${code}: ${stderr.slice(0, 300)}`),
    ],
  };
}

/** Waits until nothing but the quarantined is on the way; false when that takes too long. */
async function waitUntilRestDrained(harness: Harness): Promise<boolean> {
  const giveUpMs = Date.now() + PATIENCE_MS;
  const rest = `SELECT count(*) FROM recipients WHERE state IN ('pending', 'marked')
    AND seq NOT IN (SELECT seq FROM quarantined)`;
  while (harness.count(rest) !== 0) {
    if (Date.now() > giveUpMs) return false;
    await delay(100);
  }
  return true;
}

async function cli(harness: Harness, args: string[]): Promise<string> {
  let said = "";
  const write = (text: string): void => {
    said += text;
  };
  await runCommandLine(args, { env: harness.env, input: (async function* () {})(), write, writeError: write });
  return said;
}
