/**
 * Overwrites pages of the spool file while messages wait in it: of contents, of the middle of a table, of an index.
 * The service must start, quarantine and report unreadable messages, deliver all others, and accept new ones.
 */
import { closeSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import Sqlite from "../src/spool/engine/sqlite/connection/driver.ts";
import { cli } from "./cli.ts";
import { Harness } from "./harness.ts";
import { newIntents, send, unsent } from "./load.ts";
import { type Scenario, type ScenarioOptions, type ScenarioResult, violationUnless } from "./scenario.ts";
import type { RunningService } from "./service-process.ts";

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
      return { figures: "no start", violations: [`a start on damaged pages printed: ${service.refused.stderr}`] };
    return await checkOperation(harness, { prng, service, pages });
  } finally {
    await harness.close();
  }
}

/** Overwrites one page of each kind, and half of the overflow pages of contents. Returns the number of pages. */
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
    figures: `${pages} pages damaged, ${quarantined} messages quarantined, ${names.length} deliveries to peers, ${accepted} of ${MESSAGES} new messages accepted`,
    violations: [
      ...violationUnless(quarantined > 0, "no message was quarantined"),
      ...violationUnless(isDrained, "readable messages are still pending"),
      ...violationUnless(accepted === MESSAGES, `only ${accepted} of ${MESSAGES} new messages were accepted`),
      ...violationUnless(new Set(names).size === names.length, "a recipient got the same message twice"),
      ...violationUnless(
        metrics.includes(`postrider_quarantined_messages ${quarantined}\n`),
        "/metrics shows another number",
      ),
      ...violationUnless(/"quarantine",\s+"state": "problem"/.test(doctor), `doctor printed: ${doctor}`),
      ...violationUnless(/"spool_file",\s+"state": "problem"/.test(doctor), "doctor reports no damage of the file"),
      ...violationUnless(list.split("\n").length > quarantined, `queue quarantined printed: ${list}`),
      ...violationUnless(code === 0, `the service exited with ${code}: ${stderr.slice(0, 300)}`),
    ],
  };
}

/** Waits until only quarantined recipients are pending. Returns false on a timeout. */
async function waitUntilRestDrained(harness: Harness): Promise<boolean> {
  const giveUpMs = Date.now() + PATIENCE_MS;
  const rest = "SELECT count(*) FROM work WHERE seq NOT IN (SELECT seq FROM quarantined)";
  while (harness.count(rest) !== 0) {
    if (Date.now() > giveUpMs) return false;
    await delay(100);
  }
  return true;
}
