/**
 * Pages of the spool's file that cannot be read, while mail waits in it: of contents, of a table's middle, of an index. The
 * service starts, quarantines what it cannot read and reports it, delivers all the rest, and takes new mail.
 */
import { closeSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { runCommandLine } from "../src/app/wiring/command-line.ts";
import Sqlite from "../src/spool/sqlite/driver.ts";
import { House, type Running } from "./house.ts";
import { newIntents, send, unanswered } from "./load.ts";
import { must, type Story, type StoryOptions, type Told } from "./story.ts";

const WIDTH = 40;
const MAILS = 300;
const PATIENCE_MS = 60_000;

export const damagedPages: Story = { name: "damaged-pages", tell };

async function tell({ chance }: StoryOptions): Promise<Told> {
  const house = await House.build({ chance, rates: { peer_defers: 1 }, env: { RETRY_SCHEDULE: "2s" } });
  try {
    const before = await house.startOrFail();
    newIntents(house.books, chance, MAILS);
    await send({ house, chance, url: before.url, intents: unanswered(house.books), width: WIDTH });
    await before.kill("SIGTERM");
    const pages = damage(join(house.env.DATA_DIR ?? "", "postrider.db"));
    house.clearWeather();
    const service = await house.start();
    if ("refused" in service)
      return { figures: "no start", violations: [`a start on damaged pages said: ${service.refused.stderr}`] };
    return await goesOn(house, { chance, service, pages });
  } finally {
    await house.close();
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

interface Damaged {
  chance: StoryOptions["chance"];
  service: Running;
  pages: number;
}

async function goesOn(house: House, { chance, service, pages }: Damaged): Promise<Told> {
  newIntents(house.books, chance, MAILS);
  const fresh = house.books.intents.slice(-MAILS);
  const { accepted } = await send({ house, chance, url: service.url, intents: fresh, width: WIDTH });
  const isDrained = await restDrained(house);
  const quarantined = house.count("SELECT count(*) FROM quarantined") ?? 0;
  const metrics = await (await fetch(`${service.url}/metrics`)).text();
  const doctor = await cli(house, ["doctor", "--json"]);
  const list = await cli(house, ["queue", "quarantined"]);
  const { code, stderr } = await service.kill("SIGTERM");
  const names = house.books.taken.map(({ messageId, recipient }) => `${messageId} ${recipient}`);
  return {
    figures: `${pages} pages damaged, ${quarantined} messages quarantined, ${names.length} recipients taken, ${accepted} of ${MAILS} new mails accepted`,
    violations: [
      ...must(quarantined > 0, "nothing was quarantined"),
      ...must(isDrained, "mail that can be read still waits"),
      ...must(accepted === MAILS, `only ${accepted} of ${MAILS} new mails were accepted`),
      ...must(new Set(names).size === names.length, "a recipient was sent the same mail twice"),
      ...must(metrics.includes(`postrider_quarantined_messages ${quarantined}\n`), "/metrics has another number"),
      ...must(/"quarantine",\s+"state": "problem"/.test(doctor), `the doctor said: ${doctor}`),
      ...must(/"spool_file",\s+"state": "problem"/.test(doctor), "the doctor finds the file sound"),
      ...must(list.split("\n").length > quarantined, `the list of quarantined messages is ${list}`),
      ...must(code === 0, `the service ended with ${code}: ${stderr.slice(0, 300)}`),
    ],
  };
}

/** Waits until nothing but the quarantined is on the way; false when that takes too long. */
async function restDrained(house: House): Promise<boolean> {
  const giveUpMs = Date.now() + PATIENCE_MS;
  const rest = `SELECT count(*) FROM recipients WHERE state IN ('pending', 'marked')
    AND seq NOT IN (SELECT seq FROM quarantined)`;
  while (house.count(rest) !== 0) {
    if (Date.now() > giveUpMs) return false;
    await delay(100);
  }
  return true;
}

async function cli(house: House, args: string[]): Promise<string> {
  let said = "";
  const write = (text: string): void => {
    said += text;
  };
  await runCommandLine(args, { env: house.env, input: (async function* () {})(), write, writeError: write });
  return said;
}
