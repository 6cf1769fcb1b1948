/**
 * A backup made under load, and put back when the service that made it has gone on for a while: all that was answered before
 * it is there, nothing goes out by itself, and with `--hold` no recipient gets yesterday's mail again.
 */
import { rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { runCommandLine } from "../src/app/wiring/command-line.ts";
import { Harness } from "./harness.ts";
import { newIntents, send, unsent } from "./load.ts";
import { type Scenario, type ScenarioOptions, type ScenarioResult, violationUnless } from "./scenario.ts";

const WIDTH = 40;
const QUIET_MS = 1500;
/** The backup is made once so many are answered, and the others are on the way. */
const ANSWERED_BEFORE = 100;

export const restoredBackup: Scenario = { name: "restored-backup", run };

async function run({ prng }: ScenarioOptions): Promise<ScenarioResult> {
  const harness = await Harness.create({ prng, rates: { peer_defers: 0.1 } });
  try {
    const file = join(harness.dir, "backup");
    const service = await harness.startOrFail();
    newIntents(harness.history, prng, 600);
    const sending = send({ harness, prng, url: service.url, intents: unsent(harness.history), width: WIDTH });
    while (harness.history.acceptedSends.length < ANSWERED_BEFORE) await delay(10);
    const answered = [...harness.history.acceptedSends];
    const said = await cli(harness, ["backup", file]);
    await sending;
    await harness.waitUntilDrained();
    await service.kill("SIGKILL");
    rmSync(harness.env.DATA_DIR ?? "", { recursive: true });
    return await putBack(harness, { file, prng, answered, said });
  } finally {
    await harness.close();
  }
}

interface PutBack {
  file: string;
  prng: ScenarioOptions["prng"];
  /** What had been answered 202 when the backup was asked for. */
  answered: { id: string }[];
  said: string;
}

async function putBack(harness: Harness, { file, prng, answered, said }: PutBack): Promise<ScenarioResult> {
  const restored = await cli(harness, ["restore", file]);
  const lost = answered.filter(({ id }) => harness.count(`SELECT count(*) FROM messages WHERE id = '${id}'`) === 0);
  const before = harness.history.deliveries.length;
  const waiting = harness.count("SELECT count(*) FROM recipients WHERE state = 'pending'") ?? 0;
  const service = await harness.startOrFail();
  await delay(QUIET_MS);
  const sentByItself = harness.history.deliveries.length - before;
  const resumed = await cli(harness, ["queue", "resume", "--hold"]);
  newIntents(harness.history, prng, 50);
  const fresh = harness.history.intents.slice(-50);
  const { accepted } = await send({ harness, prng, url: service.url, intents: fresh, width: WIDTH });
  const isDrained = await harness.waitUntilDrained();
  await service.kill("SIGTERM");
  return {
    figures: `${answered.length} mails answered before the backup, ${waiting} recipients waited in it, ${resumed.trim()}`,
    violations: [
      ...violationUnless(
        /bytes, as of/.test(said) && /Delivery is paused/.test(restored),
        `the command line said: ${said} ${restored}`,
      ),
      ...violationUnless(lost.length === 0, `${lost.length} mails that were answered before are not in the backup`),
      ...violationUnless(sentByItself === 0, `${sentByItself} recipients were sent mail before anybody said so`),
      ...violationUnless(accepted === 50 && isDrained, `of 50 new mails ${accepted} were accepted`),
      ...sentAgain(harness),
    ],
  };
}

function sentAgain({ history }: Harness): string[] {
  const seen = new Set<string>();
  return history.deliveries.flatMap(({ messageId, recipient }) => {
    const name = `${messageId} ${recipient}`;
    if (seen.has(name)) return [`${recipient} was sent its mail again`];
    seen.add(name);
    return [];
  });
}

async function cli(harness: Harness, args: string[]): Promise<string> {
  let said = "";
  const write = (text: string): void => {
    said += text;
  };
  await runCommandLine(args, { env: harness.env, input: (async function* () {})(), write, writeError: write });
  return said;
}
