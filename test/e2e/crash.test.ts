/**
 * Kills the real process: every message answered with 202 exists after the next start, and nothing is delivered twice
 * unless it was reported as unknown. All tests share one data directory, like an operator's.
 */
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { readConfig } from "../../src/config.ts";
import { silentLog } from "../../src/lib/log.ts";
import { tryStartService } from "../../src/service/start-errors.ts";
import { headerField } from "../../src/testing/sink/header.ts";
import { type ApiTarget, attempted, isFinal, lookUp, pollUntil, post, send } from "../support/api-client.ts";
import { runToExit, startChild } from "../support/child-service.ts";
import { startExchanger, until } from "../support/peers.ts";
import type { ScriptedSmtp } from "../support/scripted-smtp.ts";
import { RECIPIENT_DOMAIN, sendBody, startWorld, type World } from "../support/world.ts";

const SENDS = 500;

const oneLine = (text: string): boolean => /^[^\n]+\n$/.test(text);

/** Sends concurrently. Returns the ids answered with 202 before the service exited. */
async function sendMany(target: ApiTarget, count: number, onAccepted: () => void): Promise<string[]> {
  const answers = Array.from({ length: count }, async (_, i) => {
    try {
      const response = await post(target, sendBody({ subject: `Message ${i}`, to: `user${i}@customers.example` }));
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

interface Setup {
  world: World;
  /** Accepts the messages; the world's sink would verify each signature first. */
  exchanger: ScriptedSmtp;
}

/** The Message-IDs of the accepted messages, in order. */
const acceptedBy = ({ transactions }: ScriptedSmtp): (string | null)[] =>
  transactions.map(({ message }) => headerField(message, "Message-ID"));

/** Kills the service during many sends, after some deliveries. Returns the ids it had answered. */
async function killDuringSends(t: TestContext, { world, exchanger }: Setup): Promise<string[]> {
  const child = await startChild(t, world.env);
  let accepted = 0;
  let killed: Promise<unknown> = Promise.resolve();
  const ids = await sendMany({ url: child.url, key: world.key }, SENDS, () => {
    accepted += 1;
    if (accepted === SENDS / 2) {
      killed = until("the first deliveries", () => exchanger.transactions.length > 0).then(() => child.kill("SIGKILL"));
    }
  });
  await killed;
  return ids;
}

/** Every message exists and becomes delivered, with one copy at the peer, or unknown, with at most one. */
async function checkNoLossOrDuplicate(
  t: TestContext,
  { exchanger, target, ids }: { exchanger: ScriptedSmtp; target: ApiTarget; ids: string[] },
): Promise<void> {
  const delivered: string[] = [];
  const counts = { delivered: 0, unknown: 0 };
  for (const id of ids) {
    const { recipients, message_id: messageId } = await pollUntil(target, id, isFinal);
    const [recipient] = recipients;
    if (recipient?.result === "delivered") {
      counts.delivered += 1;
      delivered.push(messageId);
    } else {
      counts.unknown += 1;
      assert.deepEqual([recipient?.result, recipient?.reason], ["unknown", "interrupted_after_final_dot"], id);
      assert.equal(recipient?.events.at(-1)?.tries?.[0]?.ip, exchanger.host);
    }
  }
  // Includes messages whose 202 was lost in the crash.
  const messageIds = acceptedBy(exchanger);
  assert.equal(new Set(messageIds).size, messageIds.length, "a message was delivered twice");
  for (const messageId of delivered) assert.ok(messageIds.includes(messageId), `${messageId} was not delivered`);
  t.diagnostic(`${counts.delivered} delivered, ${counts.unknown} unknown`);
}

test("killed and restarted", async (t) => {
  // The world's own service only prepares the data directory; the tests kill the processes below.
  const world = await startWorld(t);
  await world.service.stop();
  const exchanger = await startExchanger(t, world, { domain: RECIPIENT_DOMAIN });
  const target = (child: { url: string }): ApiTarget => ({ url: child.url, key: world.key });

  const ids = await killDuringSends(t, { world, exchanger });
  assert.ok(ids.length >= SENDS / 2);
  const second = await startChild(t, world.env);

  await t.test("loses and duplicates nothing after SIGKILL during 500 sends", (sub) =>
    checkNoLossOrDuplicate(sub, { exchanger, target: target(second), ids }),
  );

  await t.test("a second service on the same DATA_DIR exits with one line", async () => {
    const refused = await tryStartService(readConfig(world.env), silentLog, { onFatal: (error) => assert.fail(error) });
    if (typeof refused !== "string") {
      await refused.stop();
      assert.fail("it started");
    }
    assert.ok(!refused.includes("\n") && refused.includes(world.env.DATA_DIR ?? ""), refused);
    assert.equal((await fetch(`${second.url}/readyz`)).status, 200);
  });

  // One peer does not reply to the final dot and the other never sends 354, until the service is killed.
  let held = true;
  const silentExchanger = await startExchanger(t, world, {
    domain: "held-dot.example",
    script: { dot: () => (held ? { silent: true } : undefined) },
  });
  const heldData = await startExchanger(t, world, {
    domain: "held-data.example",
    script: { data: () => (held ? { silent: true } : undefined) },
  });
  const afterDot = await send(target(second), sendBody({ to: ["ann@held-dot.example", "bob@held-dot.example"] }));
  const beforeDot = await send(target(second), sendBody({ to: "ann@held-data.example" }));
  await until("the dot", () => silentExchanger.transactions.length === 1);
  await until("DATA", () => heldData.commands.includes("DATA"));
  await second.kill("SIGKILL");
  held = false;
  const third = await startChild(t, world.env);

  await t.test("killed after the final dot: unknown, with the mark as evidence, and not retried", async () => {
    const { recipients } = await pollUntil(target(third), afterDot, isFinal);
    for (const recipient of recipients) {
      assert.deepEqual([recipient.result, recipient.reason], ["unknown", "interrupted_after_final_dot"]);
      const last = recipient.events.at(-1);
      assert.deepEqual([last?.type, last?.attempt, recipient.attempts], ["recovered", 1, 1]);
      const evidence = last?.tries?.map(({ mx, ip, stage }) => ({ mx, ip, stage }));
      assert.deepEqual(evidence, [{ mx: "mx1.held-dot.example", ip: silentExchanger.host, stage: "final_dot" }]);
    }
    assert.equal(recipients.length, 2);
  });

  await t.test("killed before the final dot: delivered after the restart", async () => {
    const { recipients } = await pollUntil(target(third), beforeDot, isFinal);
    assert.deepEqual(
      recipients.map((r) => r.result),
      ["delivered"],
    );
    assert.equal(heldData.transactions.length, 1);
    assert.deepEqual([silentExchanger.transactions.length, silentExchanger.connections], [1, 1]);
  });

  await t.test("SIGTERM: finishes running work, exits with 0 and loses nothing", async (sub) => {
    const slow = await startExchanger(sub, world, {
      domain: "slow.example",
      script: { dot: () => delay(500, "250 2.0.0 at last") },
    });
    await startExchanger(sub, world, { domain: "later.example", script: { rcpt: () => "450 4.2.0 not now" } });
    const deferred = await send(target(third), sendBody({ to: "ann@later.example" }));
    await pollUntil(target(third), deferred, attempted);
    const inAttempt = await send(target(third), sendBody({ to: "ann@slow.example" }));
    await until("the dot", () => slow.transactions.length === 1);
    const waiting = lookUp(target(third), deferred, "?wait=60");
    const sent = await sendMany(target(third), 50, () => {});
    const { code, stderr } = await third.kill("SIGTERM");
    assert.equal(code, 0);
    assert.match(stderr, /^(?:postrider: there is no user yet; [^\n]+\n)?$/);
    assert.equal((await waiting).recipients[0]?.result, "pending", "held lookups get the current report");

    const fourth = await startChild(sub, world.env);
    const [ended] = (await lookUp(target(fourth), inAttempt)).recipients;
    assert.deepEqual([ended?.result, slow.transactions.length], ["delivered", 1]);
    const [later] = (await lookUp(target(fourth), deferred)).recipients;
    assert.deepEqual([later?.result, later?.attempts], ["pending", 1]);
    assert.equal(sent.length, 50);
    for (const id of sent) {
      const { recipients, message_id } = await pollUntil(target(fourth), id, isFinal);
      assert.equal(recipients[0]?.result, "delivered");
      assert.equal(acceptedBy(exchanger).filter((accepted) => accepted === message_id).length, 1);
    }
  });
});

test("exits with 2 and one line that names an invalid variable", async (t) => {
  const { code, stdout, stderr } = await runToExit(t, { RETRY_SCHEDULE: "soon" });
  assert.deepEqual([code, stdout], [2, ""]);
  assert.ok(oneLine(stderr) && stderr.includes("RETRY_SCHEDULE"), stderr);
});
