/**
 * Restores a backup that was made under load, after the service has run on. It must contain every message answered
 * before the backup; nothing is sent before the hold is released; and with `--hold` no recipient gets an already
 * delivered message again.
 */
import { rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { cli } from "./cli.ts";
import { Harness } from "./harness.ts";
import { newIntents, send, unsent } from "./load.ts";
import { type Scenario, type ScenarioOptions, type ScenarioResult, violationUnless } from "./scenario.ts";

const WIDTH = 40;
const QUIET_MS = 1500;
/** The backup starts after this many responses, while other sends are in progress. */
const ACCEPTED_BEFORE = 100;

export const restoredBackup: Scenario = { name: "restored-backup", run };

async function run({ prng }: ScenarioOptions): Promise<ScenarioResult> {
  const harness = await Harness.create({ prng, rates: { peer_defers: 0.1 } });
  try {
    const file = join(harness.dir, "backup");
    const service = await harness.startOrFail();
    newIntents(harness.history, prng, 600);
    const sending = send({ harness, prng, url: service.url, intents: unsent(harness.history), width: WIDTH });
    while (harness.history.acceptedSends.length < ACCEPTED_BEFORE) await delay(10);
    const acceptedBefore = [...harness.history.acceptedSends];
    const output = await cli(harness, ["backup", file]);
    await sending;
    await harness.waitUntilDrained();
    await service.kill("SIGKILL");
    rmSync(harness.env.DATA_DIR ?? "", { recursive: true });
    return await restoreAndCheck(harness, { file, prng, acceptedBefore, output });
  } finally {
    await harness.close();
  }
}

interface Backup {
  file: string;
  prng: ScenarioOptions["prng"];
  /** The messages answered with 202 before the backup command. */
  acceptedBefore: { id: string }[];
  output: string;
}

async function restoreAndCheck(
  harness: Harness,
  { file, prng, acceptedBefore, output }: Backup,
): Promise<ScenarioResult> {
  const restored = await cli(harness, ["restore", file]);
  const lost = acceptedBefore.filter(
    ({ id }) => harness.count(`SELECT count(*) FROM messages WHERE id = '${id}'`) === 0,
  );
  const before = harness.history.deliveries.length;
  const waiting = harness.count("SELECT count(*) FROM work WHERE mark IS NULL") ?? 0;
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
    figures: `${acceptedBefore.length} messages accepted before the backup, ${waiting} recipients pending in it, ${resumed.trim()}`,
    violations: [
      ...violationUnless(
        /bytes, as of/.test(output) && /Delivery is paused/.test(restored),
        `the command line printed: ${output} ${restored}`,
      ),
      ...violationUnless(lost.length === 0, `${lost.length} messages accepted before the backup are not in it`),
      ...violationUnless(sentByItself === 0, `${sentByItself} recipients got messages before the hold was released`),
      ...violationUnless(accepted === 50 && isDrained, `${accepted} of 50 new messages were accepted`),
      ...sentAgain(harness),
    ],
  };
}

function sentAgain({ history }: Harness): string[] {
  const seen = new Set<string>();
  return history.deliveries.flatMap(({ messageId, recipient }) => {
    const name = `${messageId} ${recipient}`;
    if (seen.has(name)) return [`${recipient} got its message again`];
    seen.add(name);
    return [];
  });
}
