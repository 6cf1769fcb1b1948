/**
 * A backup made under load, and put back when the service that made it has gone on for a while: all that was answered before
 * it is there, nothing goes out by itself, and with `--hold` no recipient gets yesterday's mail again.
 */
import { rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { runCommandLine } from "../src/app/wiring/command-line.ts";
import { House } from "./house.ts";
import { newIntents, send, unanswered } from "./load.ts";
import { must, type Story, type StoryOptions, type Told } from "./story.ts";

const WIDTH = 40;
const QUIET_MS = 1500;
/** The backup is made once so many are answered, and the others are on the way. */
const ANSWERED_BEFORE = 100;

export const restoredBackup: Story = { name: "restored-backup", tell };

async function tell({ chance }: StoryOptions): Promise<Told> {
  const house = await House.build({ chance, rates: { peer_defers: 0.1 } });
  try {
    const file = join(house.dir, "backup");
    const service = await house.startOrFail();
    newIntents(house.books, chance, 600);
    const sending = send({ house, chance, url: service.url, intents: unanswered(house.books), width: WIDTH });
    while (house.books.answered.length < ANSWERED_BEFORE) await delay(10);
    const answered = [...house.books.answered];
    const said = await cli(house, ["backup", file]);
    await sending;
    await house.drained();
    await service.kill("SIGKILL");
    rmSync(house.env.DATA_DIR ?? "", { recursive: true });
    return await putBack(house, { file, chance, answered, said });
  } finally {
    await house.close();
  }
}

interface PutBack {
  file: string;
  chance: StoryOptions["chance"];
  /** What had been answered 202 when the backup was asked for. */
  answered: { id: string }[];
  said: string;
}

async function putBack(house: House, { file, chance, answered, said }: PutBack): Promise<Told> {
  const restored = await cli(house, ["restore", file]);
  const lost = answered.filter(({ id }) => house.count(`SELECT count(*) FROM messages WHERE id = '${id}'`) === 0);
  const before = house.books.taken.length;
  const waiting = house.count("SELECT count(*) FROM recipients WHERE state = 'pending'") ?? 0;
  const service = await house.startOrFail();
  await delay(QUIET_MS);
  const sentByItself = house.books.taken.length - before;
  const resumed = await cli(house, ["queue", "resume", "--hold"]);
  newIntents(house.books, chance, 50);
  const fresh = house.books.intents.slice(-50);
  const { accepted } = await send({ house, chance, url: service.url, intents: fresh, width: WIDTH });
  const isDrained = await house.drained();
  await service.kill("SIGTERM");
  return {
    figures: `${answered.length} mails answered before the backup, ${waiting} recipients waited in it, ${resumed.trim()}`,
    violations: [
      ...must(
        /bytes, as of/.test(said) && /Delivery is paused/.test(restored),
        `the command line said: ${said} ${restored}`,
      ),
      ...must(lost.length === 0, `${lost.length} mails that were answered before are not in the backup`),
      ...must(sentByItself === 0, `${sentByItself} recipients were sent mail before anybody said so`),
      ...must(accepted === 50 && isDrained, `of 50 new mails ${accepted} were accepted`),
      ...sentAgain(house),
    ],
  };
}

function sentAgain({ books }: House): string[] {
  const seen = new Set<string>();
  return books.taken.flatMap(({ messageId, recipient }) => {
    const name = `${messageId} ${recipient}`;
    if (seen.has(name)) return [`${recipient} was sent its mail again`];
    seen.add(name);
    return [];
  });
}

async function cli(house: House, args: string[]): Promise<string> {
  let said = "";
  const write = (text: string): void => {
    said += text;
  };
  await runCommandLine(args, { env: house.env, input: (async function* () {})(), write, writeError: write });
  return said;
}
