/** An attempt at a message whose content has several parts: it reads them for each transaction, and one of them may be damaged. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { systemClock } from "../../../src/lib/clock.ts";
import { silentLog } from "../../../src/lib/log.ts";
import type { Outcome } from "../../../src/message/result/outcome.ts";
import { MessageDamaged, SpoolUnavailable } from "../../../src/spool/port/errors.ts";
import type { Mark } from "../../../src/spool/port/mail.ts";
import { contentInParts } from "../../support/content-parts.ts";
import { fakeClock } from "../../support/fake-clock.ts";
import { until } from "../../support/peers.ts";
import { setAttemptStage } from "./attempt-stage.ts";

const HEADER = Buffer.from("Subject: Hi\r\n\r\n");
const PARTS = [HEADER, Buffer.from("x\r\n".repeat(100_000)), Buffer.from(".\r\n".repeat(50_000))];
const WHOLE = Buffer.concat(PARTS);

/** The content; `failing` says which reads of a later part reject, counted from 1. */
function content(failing: number[] = [], error: Error = new MessageDamaged("a part has changed")) {
  let reads = 0;
  const part = async (): Promise<void> => {
    reads += 1;
    if (failing.includes(reads)) throw error;
  };
  return contentInParts(PARTS, { bodyHash: "hash", part });
}

const inShort = (outcomes: (Outcome | null)[]) =>
  outcomes.map((outcome) =>
    outcome === null || outcome.type === "delivered" ? (outcome?.type ?? null) : `${outcome.type} ${outcome.reason}`,
  );

test("each transaction and each host gets the whole content, read again from its first part", async (t) => {
  const stored = content();
  const { exchanger, attempt } = await setAttemptStage(t, { clock: systemClock, content: stored });
  const busy = await exchanger({ script: { content: () => "451 not now" } });
  const peer = await exchanger({ capabilities: ["LIMITS RCPTMAX=1"] });
  assert.deepEqual(inShort(await attempt(2)), ["delivered", "delivered"]);
  assert.deepEqual([busy.transactions.length, peer.transactions.length], [0, 2]);
  for (const { message } of peer.transactions) assert.ok(message.equals(WHOLE));
  assert.deepEqual(stored.reads.slice(-4), [1, 2, 1, 2]);
});

test("a pooled connection that has died: the content is read again for the new one", async (t) => {
  const stored = content();
  const { exchanger, attempt } = await setAttemptStage(t, { clock: systemClock, content: stored });
  const peer = await exchanger({
    script: { mail: (_, { connection }) => (isDead(connection) ? { drop: true } : undefined) },
  });
  const isDead = (connection: number): boolean => connection === 0 && peer.transactions.length > 0;
  assert.deepEqual(inShort(await attempt()), ["delivered"]);
  assert.deepEqual(inShort(await attempt()), ["delivered"]);
  assert.deepEqual([peer.connections, stored.reads], [2, [1, 2, 1, 2]]);
  for (const { message } of peer.transactions) assert.ok(message.equals(WHOLE));
});

test("damage in a later part: no mark, no dot, no other host; a recipient that was refused keeps its result", async (t) => {
  const marks: Mark[] = [];
  const mark = async (made: Mark) => {
    marks.push(made);
    return "marked" as const;
  };
  const { exchanger, run } = await setAttemptStage(t, { clock: systemClock, content: content([2]), mark });
  const rcpt = (argument: string) => (argument.includes("user1@") ? "550 5.1.1 no such user" : undefined);
  const peer = await exchanger({ script: { rcpt } });
  const other = await exchanger();
  const { outcomes } = await run(3);
  assert.deepEqual(inShort(outcomes), [null, "failed recipient_refused", null]);
  await until("the end of the connection", () => peer.open === 0);
  assert.deepEqual([marks, peer.transactions.length, other.connections], [[], 0, 0]);
});

test("damage found in a second transaction leaves the results of the first", async (t) => {
  const marks: number[][] = [];
  const mark = async ({ positions }: Mark) => {
    marks.push(positions);
    return "marked" as const;
  };
  const { exchanger, run } = await setAttemptStage(t, { clock: systemClock, content: content([3]), mark });
  const peer = await exchanger({ capabilities: ["LIMITS RCPTMAX=1"] });
  assert.deepEqual(inShort((await run(3)).outcomes), ["delivered", null, null]);
  assert.deepEqual([marks, peer.transactions.length], [[[0]], 1]);
});

test("damage found at the second host: a recipient marked at the first is settled, because only that removes its mark", async (t) => {
  const marks: number[][] = [];
  const mark = async ({ positions }: Mark) => {
    marks.push(positions);
    peer.dropAll();
    await until("the loss", () => peer.open === 0);
    await delay(50);
    return "marked" as const;
  };
  const { exchanger, run } = await setAttemptStage(t, { clock: systemClock, content: content([3]), mark });
  const rcpt = (argument: string) => (argument.includes("user1@") ? "451 4.2.1 later" : undefined);
  const peer = await exchanger({ script: { rcpt } });
  const second = await exchanger();
  assert.deepEqual(inShort((await run(2)).outcomes), ["deferred connection_lost", null]);
  assert.deepEqual([marks, peer.transactions.length, second.transactions.length], [[[0]], 0, 0]);
});

test("a spool that cannot read a later part now defers the message", async (t) => {
  const unavailable = content([2], new SpoolUnavailable("the disk does not answer"));
  const mark = () => assert.fail("marked");
  const { exchanger, attempt } = await setAttemptStage(t, { clock: systemClock, content: unavailable, mark });
  const peer = await exchanger();
  const [outcome] = await attempt();
  assert.deepEqual(inShort([outcome ?? null]), ["deferred internal_error"]);
  assert.equal(outcome?.tries[0]?.error, "held back before the final dot: the disk does not answer");
  assert.equal(peer.transactions.length, 0);
});

test("shutdown while a later part is sent: three seconds, then pending and due again at once, without a dot", async (t) => {
  const clock = fakeClock();
  const large = [HEADER, ...Array.from({ length: 24 }, () => Buffer.alloc(1024 * 1024, "x"))];
  const mark = () => assert.fail("marked");
  const stored = contentInParts(large, { bodyHash: "hash" });
  const { exchanger, attempt, shutdown } = await setAttemptStage(t, { clock, content: stored, mark });
  const peer = await exchanger({ capabilities: [], script: { data: () => ({ pause: true, raw: "354 go\r\n" }) } });
  const attempted = attempt();
  await until("a later part", () => stored.reads.length > 1);
  const ended = () => attempted.then(() => {});
  const stopping = shutdown.run({ clock, log: silentLog, replyWaitMs: 60_000, ended });
  await clock.advance(3000);
  const [outcome] = await attempted;
  assert.deepEqual(inShort([outcome ?? null]), ["deferred interrupted_before_final_dot"]);
  assert.ok(outcome?.type === "deferred" && outcome.atOnce);
  assert.deepEqual([await stopping, peer.transactions.length], [0, 0]);
});

test("a body that is not hashed yet is hashed before it is sent: one with a bare LF is not sent", async (t) => {
  const broken = Buffer.from("Subject: Hi\r\n\r\none\n.\nMAIL FROM:<a@b.example>\r\n");
  const { exchanger, attempt } = await setAttemptStage(t, { clock: systemClock, content: broken });
  const peer = await exchanger();
  assert.deepEqual(inShort(await attempt()), ["deferred internal_error"]);
  assert.deepEqual([peer.transactions.length, peer.commands.filter((line) => line.startsWith("MAIL"))], [0, []]);
});
