/**
 * The real process, killed: what was answered 202 is there after the next start, and nothing is delivered twice unless
 * it was reported as unknown. One data directory lives through it all, as an operator's would.
 */
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { tryStartService } from "../../src/app/wiring/start.ts";
import { readConfig } from "../../src/config.ts";
import { silentLog } from "../../src/lib/log.ts";
import { headerField } from "../../src/testing/sink/header.ts";
import { runToEnd, startChild } from "../support/child-service.ts";
import { attempted, type FrontDoor, isFinal, look, lookUntil, post, send } from "../support/front-door.ts";
import { startExchanger, until } from "../support/peers.ts";
import type { ScriptedSmtp } from "../support/scripted-smtp.ts";
import { letter, RECIPIENT_DOMAIN, startWorld, type World } from "../support/world.ts";

const SENDS = 500;

const oneLine = (text: string): boolean => /^[^\n]+\n$/.test(text);

/** Sends at once and from all sides; the ids that were answered 202 before the service went away. */
async function sendMany(door: FrontDoor, count: number, onAccepted: () => void): Promise<string[]> {
  const answers = Array.from({ length: count }, async (_, i) => {
    try {
      const response = await post(door, letter({ subject: `Message ${i}`, to: `user${i}@customers.example` }));
      const { id } = (await response.json()) as { id: string };
      if (response.status !== 202) return null;
      onAccepted();
      return id;
    } catch {
      return null;
    }
  });
  return (await Promise.all(answers)).filter((id) => id !== null);
}

interface Place {
  world: World;
  /** Takes the mail; the world's sink would verify each signature first. */
  taker: ScriptedSmtp;
}

/** The Message-ID of each message that was taken, in that order. */
const takenBy = ({ transactions }: ScriptedSmtp): (string | null)[] =>
  transactions.map(({ message }) => headerField(message, "Message-ID"));

/** Kills it in the middle of many sends, some of them delivered already; the ids it had answered for. */
async function killInMidstream(t: TestContext, { world, taker }: Place): Promise<string[]> {
  const child = await startChild(t, world.env);
  let accepted = 0;
  let killed: Promise<unknown> = Promise.resolve();
  const ids = await sendMany({ url: child.url, key: world.key }, SENDS, () => {
    accepted += 1;
    if (accepted === SENDS / 2) {
      killed = until("the first deliveries", () => taker.transactions.length > 0).then(() => child.kill("SIGKILL"));
    }
  });
  await killed;
  return ids;
}

/** Every one is there and ends delivered, with one copy at the peer, or unknown, with one at most. */
async function checkNothingLostOrDoubled(
  t: TestContext,
  { taker, door, ids }: { taker: ScriptedSmtp; door: FrontDoor; ids: string[] },
): Promise<void> {
  const delivered: string[] = [];
  const counts = { delivered: 0, unknown: 0 };
  for (const id of ids) {
    const { recipients, message_id: messageId } = await lookUntil(door, id, isFinal);
    const [recipient] = recipients;
    if (recipient?.result === "delivered") {
      counts.delivered += 1;
      delivered.push(messageId);
    } else {
      counts.unknown += 1;
      assert.deepEqual([recipient?.result, recipient?.reason], ["unknown", "interrupted_after_final_dot"], id);
      assert.equal(recipient?.events.at(-1)?.tries?.[0]?.ip, taker.host);
    }
  }
  // Counts those too whose 202 was lost with the process.
  const messageIds = takenBy(taker);
  assert.equal(new Set(messageIds).size, messageIds.length, "a message came twice");
  for (const messageId of delivered) assert.ok(messageIds.includes(messageId), `${messageId} did not come`);
  t.diagnostic(`${counts.delivered} delivered, ${counts.unknown} unknown`);
}

test("killed and started again", async (t) => {
  // The world's own service only prepares the data directory: the processes below are the ones to kill.
  const world = await startWorld(t);
  await world.service.stop();
  const taker = await startExchanger(t, world, { domain: RECIPIENT_DOMAIN });
  const door = (child: { url: string }): FrontDoor => ({ url: child.url, key: world.key });

  const ids = await killInMidstream(t, { world, taker });
  assert.ok(ids.length >= SENDS / 2);
  const second = await startChild(t, world.env);

  await t.test("SIGKILL among 500 sends: nothing lost, nothing doubled", (sub) =>
    checkNothingLostOrDoubled(sub, { taker, door: door(second), ids }),
  );

  await t.test("a second service on the same DATA_DIR refuses with one line", async () => {
    const refused = await tryStartService(readConfig(world.env), silentLog, { onFatal: (error) => assert.fail(error) });
    if (typeof refused !== "string") {
      await refused.stop();
      assert.fail("it started");
    }
    assert.ok(!refused.includes("\n") && refused.includes(world.env.DATA_DIR ?? ""), refused);
    assert.equal((await fetch(`${second.url}/readyz`)).status, 200);
  });

  // One peer never answers the dot, the other never asks for the content, until the service has been killed.
  let held = true;
  const heldDot = await startExchanger(t, world, {
    domain: "held-dot.example",
    script: { dot: () => (held ? { silent: true } : undefined) },
  });
  const heldData = await startExchanger(t, world, {
    domain: "held-data.example",
    script: { data: () => (held ? { silent: true } : undefined) },
  });
  const afterDot = await send(door(second), letter({ to: ["ann@held-dot.example", "bob@held-dot.example"] }));
  const beforeDot = await send(door(second), letter({ to: "ann@held-data.example" }));
  await until("the dot", () => heldDot.transactions.length === 1);
  await until("DATA", () => heldData.commands.includes("DATA"));
  await second.kill("SIGKILL");
  held = false;
  const third = await startChild(t, world.env);

  await t.test("killed after the dot: unknown, with the mark as evidence, and not sent again", async () => {
    const { recipients } = await lookUntil(door(third), afterDot, isFinal);
    for (const recipient of recipients) {
      assert.deepEqual([recipient.result, recipient.reason], ["unknown", "interrupted_after_final_dot"]);
      const last = recipient.events.at(-1);
      assert.deepEqual([last?.type, last?.attempt, recipient.attempts], ["recovered", 1, 1]);
      const evidence = last?.tries?.map(({ mx, ip, stage }) => ({ mx, ip, stage }));
      assert.deepEqual(evidence, [{ mx: "mx1.held-dot.example", ip: heldDot.host, stage: "final_dot" }]);
    }
    assert.equal(recipients.length, 2);
  });

  await t.test("killed before the dot: delivered after the restart", async () => {
    const { recipients } = await lookUntil(door(third), beforeDot, isFinal);
    assert.deepEqual(
      recipients.map((r) => r.result),
      ["delivered"],
    );
    assert.equal(heldData.transactions.length, 1);
    assert.deepEqual([heldDot.transactions.length, heldDot.connections], [1, 1]);
  });

  await t.test("SIGTERM: ends what is under way, exits 0, loses nothing", async (sub) => {
    const slow = await startExchanger(sub, world, {
      domain: "slow.example",
      script: { dot: () => delay(500, "250 2.0.0 at last") },
    });
    await startExchanger(sub, world, { domain: "later.example", script: { rcpt: () => "450 4.2.0 not now" } });
    const deferred = await send(door(third), letter({ to: "ann@later.example" }));
    await lookUntil(door(third), deferred, attempted);
    const inAttempt = await send(door(third), letter({ to: "ann@slow.example" }));
    await until("the dot", () => slow.transactions.length === 1);
    const waiting = look(door(third), deferred, "?wait=60");
    const sent = await sendMany(door(third), 50, () => {});
    const { code, stderr } = await third.kill("SIGTERM");
    assert.equal(code, 0);
    assert.match(stderr, /^(?:postrider: there is no user yet; [^\n]+\n)?$/);
    assert.equal((await waiting).recipients[0]?.result, "pending", "who waits for a result is told what there is");

    const fourth = await startChild(sub, world.env);
    const [ended] = (await look(door(fourth), inAttempt)).recipients;
    assert.deepEqual([ended?.result, slow.transactions.length], ["delivered", 1]);
    const [later] = (await look(door(fourth), deferred)).recipients;
    assert.deepEqual([later?.result, later?.attempts], ["pending", 1]);
    assert.equal(sent.length, 50);
    for (const id of sent) {
      const { recipients, message_id } = await lookUntil(door(fourth), id, isFinal);
      assert.equal(recipients[0]?.result, "delivered");
      assert.equal(takenBy(taker).filter((taken) => taken === message_id).length, 1);
    }
  });
});

test("a variable that cannot be read: exit code 2 and one line that names it", async (t) => {
  const { code, stdout, stderr } = await runToEnd(t, { RETRY_SCHEDULE: "soon" });
  assert.deepEqual([code, stdout], [2, ""]);
  assert.ok(oneLine(stderr) && stderr.includes("RETRY_SCHEDULE"), stderr);
});
