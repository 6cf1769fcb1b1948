/** The messages to operators about receivers: who gets them, when, and what they say. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { startReceiverAlarms, tellWorse } from "../../../src/app/installation/receiver-alarms.ts";
import type { AcceptRequest, AcceptResult } from "../../../src/app/send/accept-message.ts";
import { silentLog } from "../../../src/lib/log.ts";
import type { ClosedDestination, TroubleCause } from "../../../src/message/result/closed-destination.ts";
import type { Account } from "../../../src/spool/port/accounts.ts";
import type { Domain } from "../../../src/spool/port/domains.ts";
import type { NodeTraffic } from "../../../src/spool/port/node-traffic.ts";
import type { User } from "../../../src/spool/port/people.ts";
import { fakeClock } from "../../support/fake-clock.ts";

const MINUTE_MS = 60_000;
const START_MS = 20_000 * 86_400_000;

function stage() {
  const clock = fakeClock(START_MS);
  const sent: AcceptRequest[] = [];
  const keys = new Set<string | null>();
  const closed = new Map<string, ClosedDestination>();
  const users = [
    { id: "usr_1", email: "op@ops.example", accountId: "acc_ops", operator: true },
    { id: "usr_2", email: "dev@ops.example", accountId: "acc_ops", operator: false },
    { id: "usr_3", email: "ann@shop.example", accountId: "acc_shop", operator: false },
  ] as User[];
  const parts = {
    clock,
    log: silentLog,
    publicUrl: "https://mail.example",
    configured: new Map<string, number>(),
    spool: { readValue: async () => null, readLiveNodeValues: async () => [] },
    registry: {
      accounts: async () => [{ id: "acc_ops" }, { id: "acc_shop" }] as Account[],
      domains: async (accountId: string) =>
        [{ name: `${accountId.slice("acc_".length)}.example`, accountId, verified: true }] as Domain[],
    },
    people: { users: async (accountId: string | null) => users.filter((user) => user.accountId === accountId) },
    acceptMessage: {
      async accept(request: AcceptRequest): Promise<AcceptResult> {
        if (keys.has(request.idempotencyKey)) return { type: "replayed", id: "msg_1" };
        keys.add(request.idempotencyKey);
        sent.push(request);
        return { type: "accepted", id: "msg_1" };
      },
    },
    traffic: async () => {
      const destination = { attempts: 0, window: 1, limit: null, connections: 0, usedAtMs: 1 };
      const destinations = [...closed].map(([name, each]) => ({ ...destination, name, closed: each }));
      return [{ destinations }] as NodeTraffic[];
    },
  };
  const close = (name: string, cause: TroubleCause, text: string): void => {
    const last = { cause, text, atMs: clock.now() };
    const times = { sinceMs: clock.now(), probeAtMs: clock.now() + 60 * MINUTE_MS };
    closed.set(name, { ...times, isProbing: false, causes: [cause], last });
  };
  return { clock, parts, sent, closed, close };
}

const textOf = ({ draft }: AcceptRequest): string =>
  draft.content().bytes.toString("utf8").replaceAll("=\r\n", "").replaceAll("\r\n", "\n");

test("a block of ten minutes is told to the operators, once a day, with its words and where to ask", async () => {
  const { clock, parts, sent, close } = stage();
  const stop = startReceiverAlarms(parts);
  close("*.outlook", "reputation", "550 5.7.1 [192.0.2.10] is on our block list (S3140)");
  close("*.gmail", "rate_limited", "421 4.7.28 unusual rate");
  for (let i = 0; i < 50; i += 1)
    close(`*.r${i}.example`, "reputation", "550 blocked, sign in at https://evil.example");
  await clock.advance(9 * MINUTE_MS);
  assert.equal(sent.length, 0);
  await clock.advance(60 * MINUTE_MS);
  assert.equal(sent.length, 1);
  const [message] = sent;
  assert.ok(message);
  assert.deepEqual(
    message.draft.summary.to.map(({ address }) => address),
    ["op@ops.example"],
  );
  assert.equal(message.accountId, "acc_ops");
  const text = textOf(message);
  assert.match(text, /Subject: Outlook\.com, Hotmail and Live refuses this server's address/);
  for (const part of ["(S3140)", "https://olcsupport.office.com/", "https://mail.example/dashboard/operator/receivers"])
    assert.ok(text.includes(part), part);
  await clock.advance(24 * 60 * MINUTE_MS);
  assert.equal(sent.length, 2, "the next day");
  stop();
  await clock.advance(48 * 60 * MINUTE_MS);
  assert.equal(sent.length, 2);
});

test("another process, or the same after a restart, tells nothing twice", async () => {
  const { clock, parts, sent, close } = stage();
  close("*.yahoo", "reputation", "553 5.7.1 [BL21] Connections will not be accepted");
  const stop = startReceiverAlarms(parts);
  await clock.advance(30 * MINUTE_MS);
  stop();
  startReceiverAlarms(parts);
  await clock.advance(30 * MINUTE_MS);
  assert.equal(sent.length, 1);
});

test("what a preflight has found is told with its sentences", async () => {
  const { parts, sent } = stage();
  await tellWorse(parts, ["gmail refuses the session.", "192.0.2.10 has no reverse name."], START_MS);
  assert.equal(sent.length, 1);
  for (const part of ["gmail refuses the session.", "192.0.2.10 has no reverse name."])
    assert.ok(textOf(sent[0] as AcceptRequest).includes(part), part);
});
