/** Attempts at 8-bit messages at hosts without 8BITMIME: what is sent, and what becomes of those for which there is no memory. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { SevenBitContents } from "../../../src/delivery/dispatch/seven-bit-contents.ts";
import { systemClock } from "../../../src/lib/clock.ts";
import { toSevenBit } from "../../../src/message/compose/seven-bit.ts";
import { contentInParts, cutAt } from "../../support/content-parts.ts";
import { fakeClock } from "../../support/fake-clock.ts";
import { until } from "../../support/peers.ts";
import { setAttemptStage } from "./attempt-stage.ts";

const MESSAGE = Buffer.from(
  `From: a@shop.example\r\nMIME-Version: 1.0\r\nContent-Transfer-Encoding: 8bit\r\n\r\n${`.${"ü".repeat(400)}\r\n`.repeat(500)}`,
);
const CONVERTED = toSevenBit(MESSAGE) ?? assert.fail();
const eightBit = { eightBit: true };
const content = () => contentInParts(cutAt(MESSAGE, [100_000, 200_000, 300_000]), { bodyHash: "hash" });
const WITH = { capabilities: ["PIPELINING", "8BITMIME"] };
const WITHOUT = { capabilities: ["PIPELINING", "SIZE"] };

test("a host without 8BITMIME gets the message in 7 bits, with its size, and the next one with it as it is", async (t) => {
  for (const isFirstWithout of [true, false]) {
    const { exchanger, attempt } = await setAttemptStage(t, { clock: systemClock, content: content() });
    const busy = { script: { data: () => "451 not now" } };
    const capabilities = isFirstWithout ? [WITHOUT, WITH] : [WITH, WITHOUT];
    const first = await exchanger({ ...busy, ...capabilities[0] });
    const second = await exchanger(capabilities[1]);
    assert.equal((await attempt(1, eightBit))[0]?.type, "delivered");
    const without = isFirstWithout ? first : second;
    const mail = without.commands.find((command) => command.startsWith("MAIL")) ?? "";
    assert.match(mail, new RegExp(` SIZE=${CONVERTED.length}$`));
    assert.ok(second.transactions[0]?.message.equals(isFirstWithout ? MESSAGE : CONVERTED));
  }
});

test("each transaction gets the whole message in 7 bits, which is read and converted again, part by part", async (t) => {
  const stored = content();
  const { exchanger, attempt } = await setAttemptStage(t, { clock: systemClock, content: stored });
  const peer = await exchanger({ capabilities: ["LIMITS RCPTMAX=1"] });
  const outcomes = await attempt(3, eightBit);
  assert.deepEqual(
    outcomes.map(({ type }) => type),
    ["delivered", "delivered", "delivered"],
  );
  for (const { message } of peer.transactions) assert.ok(message.equals(CONVERTED));
  assert.equal(peer.transactions.length, 3);
  assert.deepEqual(stored.reads.slice(-9), [1, 2, 3, 1, 2, 3, 1, 2, 3]);
});

test("memory is free again when an attempt has ended", async (t) => {
  const sevenBitContents = new SevenBitContents({ clock: systemClock, memoryBytes: 100_000 });
  const { exchanger, attempt } = await setAttemptStage(t, { clock: systemClock, content: content(), sevenBitContents });
  const peer = await exchanger(WITHOUT);
  for (let i = 0; i < 3; i += 1) assert.equal((await attempt(1, eightBit))[0]?.type, "delivered");
  assert.equal(peer.transactions.length, 3);
});

test("without memory for a minute, the message is deferred without MAIL, and the session is fit for others", async (t) => {
  const clock = fakeClock();
  const sevenBitContents = new SevenBitContents({ clock, memoryBytes: 100_000 });
  const stage = { clock, content: content(), sevenBitContents };
  const { exchanger, attempt } = await setAttemptStage(t, stage);
  const peer = await exchanger(WITHOUT);
  const held = await sevenBitContents.convert(content(), { accountId: "acc_z", gone: new AbortController().signal });
  const other = await sevenBitContents.convert(content(), { accountId: "acc_y", gone: new AbortController().signal });
  const attempted = attempt(1, eightBit);
  await until("the wait for memory", () => clock.dueMs.some((atMs) => atMs - clock.monotonicMs() === 60_000));
  await until("the session", () => peer.commands.some((command) => command.startsWith("EHLO")));
  await clock.advance(60_000);
  const [outcome] = await attempted;
  assert.deepEqual([outcome?.type, outcome?.type === "deferred" && outcome.reason], ["deferred", "internal_error"]);
  assert.match(outcome?.tries[0]?.error ?? "", /8BITMIME.*no memory/);
  assert.deepEqual(
    peer.commands.filter((command) => command.startsWith("MAIL")),
    [],
  );
  held?.release();
  other?.release();
  assert.equal((await attempt(1, eightBit))[0]?.type, "delivered");
  assert.equal(peer.connections, 1);
});
