/** An attempt whose lease is lost: no dot is sent, and recipients that another claimant may have get no result. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { systemClock } from "../../../src/lib/clock.ts";
import type { Outcome } from "../../../src/message/result/outcome.ts";
import type { Mark } from "../../../src/spool/port/mail.ts";
import { LEASE } from "../../support/fake-spool.ts";
import { until } from "../../support/peers.ts";
import { setAttemptStage } from "./attempt-stage.ts";

const inShort = (outcomes: (Outcome | null)[]) =>
  outcomes.map((outcome) =>
    outcome === null || outcome.type === "delivered" ? (outcome?.type ?? null) : `${outcome.type} ${outcome.reason}`,
  );

const INTERRUPTED = "deferred interrupted_before_final_dot";

test("a lost mark: no dot, no other host, no result; a recipient that was refused keeps its result", async (t) => {
  const marks: Mark[] = [];
  const mark = async (made: Mark) => {
    marks.push(made);
    return "lease_lost" as const;
  };
  const { exchanger, run } = await setAttemptStage(t, { clock: systemClock, mark });
  const rcpt = (argument: string) => (argument.includes("user1@") ? "550 5.1.1 no such user" : undefined);
  const peer = await exchanger({ script: { rcpt } });
  const other = await exchanger();
  const { outcomes } = await run(3);
  assert.deepEqual(inShort(outcomes), [null, "failed recipient_refused", null]);
  await until("the end of the connection", () => peer.open === 0);
  assert.deepEqual([peer.transactions.length, other.connections], [0, 0]);
  assert.deepEqual(
    marks.map(({ positions, lease }) => [positions, lease]),
    [[[0, 2], LEASE]],
  );
});

test("a lease that ends between the mark and the dot: no dot, and the marked recipient is due at once", async (t) => {
  let holds = true;
  const mark = async () => {
    holds = false;
    return "marked" as const;
  };
  const { exchanger, run } = await setAttemptStage(t, { clock: systemClock, mark, leaseIsCurrent: () => holds });
  const peer = await exchanger({ capabilities: ["LIMITS RCPTMAX=1"] });
  const other = await exchanger();
  const { outcomes } = await run(2);
  assert.deepEqual(inShort(outcomes), [INTERRUPTED, null]);
  const [marked] = outcomes;
  assert.ok(marked?.type === "deferred" && marked.atOnce);
  await until("the end of the connection", () => peer.open === 0);
  assert.deepEqual([peer.transactions.length, other.connections], [0, 0]);
});

test("a lease that ends after a transaction: its results stay, and no other transaction begins", async (t) => {
  let holds = true;
  const dot = () => {
    holds = false;
    return "250 2.0.0 queued";
  };
  const { exchanger, run } = await setAttemptStage(t, { clock: systemClock, leaseIsCurrent: () => holds });
  const peer = await exchanger({ capabilities: ["LIMITS RCPTMAX=1"], script: { dot } });
  assert.deepEqual(inShort((await run(3)).outcomes), ["delivered", null, null]);
  assert.equal(peer.transactions.length, 1);
});

test("a lease that is lost at the second host: a recipient marked at the first is deferred, because no dot was sent", async (t) => {
  let marks = 0;
  const mark = async () => {
    marks += 1;
    if (marks > 1) return "lease_lost" as const;
    peer.dropAll();
    await until("the loss", () => peer.open === 0);
    return "marked" as const;
  };
  const { exchanger, run } = await setAttemptStage(t, { clock: systemClock, mark });
  const rcpt = (argument: string) => (argument.includes("user1@") ? "451 4.2.1 later" : undefined);
  const peer = await exchanger({ script: { rcpt } });
  const second = await exchanger();
  assert.deepEqual(inShort((await run(2)).outcomes), [INTERRUPTED, null]);
  assert.deepEqual([marks, peer.transactions.length, second.transactions.length], [2, 0, 0]);
});

test("a recipient that was cancelled during the attempt: no dot, and the marked ones of its transaction are due at once", async (t) => {
  const mark = async () => "partly_lost" as const;
  const { exchanger, run } = await setAttemptStage(t, { clock: systemClock, mark });
  const rcpt = (argument: string) => (argument.includes("user1@") ? "451 4.2.1 later" : undefined);
  const peer = await exchanger({ script: { rcpt } });
  const other = await exchanger();
  const { outcomes } = await run(3);
  assert.deepEqual(inShort(outcomes), [INTERRUPTED, null, INTERRUPTED]);
  const [marked] = outcomes;
  assert.ok(marked?.type === "deferred" && marked.atOnce);
  await until("the end of the connection", () => peer.open === 0);
  assert.deepEqual([peer.transactions.length, other.connections], [0, 0]);
});
