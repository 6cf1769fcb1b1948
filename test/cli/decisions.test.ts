/** `queue resolve` and `queue cancel`: the recipients that have changed, or in one line why none has. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { isFinal, lookUp, pollUntil, send } from "../support/api-client.ts";
import { apiTarget, startExchanger, until } from "../support/peers.ts";
import { runCli } from "../support/run-cli.ts";
import { RECIPIENT_DOMAIN, sendBody, startWorld } from "../support/world.ts";

const at = (local: string) => `${local}@${RECIPIENT_DOMAIN}`;

test("queue resolve settles unknown recipients, with who decided, and leaves all others alone", {
  timeout: 60_000,
}, async (t) => {
  const world = await startWorld(t);
  const door = apiTarget(world);
  const resolve = (...args: string[]) => runCli(["queue", "resolve", ...args], world.env);
  const refused = async (args: string[], code: number, words: RegExp) => {
    const { stderr, ...outcome } = await resolve(...args);
    assert.deepEqual(outcome, { code, stdout: "" });
    assert.match(stderr, words);
  };
  const lost = [at("drop-after-dot+a"), at("drop-after-dot+b")];
  const id = await send(door, sendBody({ to: [...lost, at("5xx-550")] }));
  await pollUntil(door, id, isFinal);

  await refused([id], 2, /queue resolve needs --as RESULT/);
  await refused([id, "--as", "unknown"], 2, /--as 'unknown' is not known; it is one of delivered, failed/);
  const only = "only unknown recipients can be marked as delivered or failed";
  await refused([id, at("5xx-550"), "--as", "failed"], 1, new RegExp(`${at("5xx-550")} is failed: ${only}\n$`));
  await refused([id, at("nobody"), "--as", "failed"], 1, /has no recipient nobody@/);
  await refused(["msg_unknown", "--as", "failed"], 1, /has no message msg_unknown/);

  const one = await resolve(id, lost[0] ?? "", "--as", "delivered");
  assert.deepEqual(one, { code: 0, stdout: "1 recipient is delivered now.\n", stderr: "" });
  const rest = await resolve(id, "--as", "failed", "--json");
  assert.deepEqual(JSON.parse(rest.stdout), { id, resolved: 1, result: "failed" });
  await refused([id, "--as", "failed"], 1, new RegExp(`${id} has 1 delivered, 2 failed: ${only}\n$`));

  const { recipients } = await lookUp(door, id);
  assert.deepEqual(
    recipients.map(({ result, reason }) => [result, reason]),
    [
      ["delivered", "resolved"],
      ["failed", "resolved"],
      ["failed", "recipient_refused"],
    ],
  );
  const entry = recipients[0]?.events.at(-1);
  assert.deepEqual(entry, { at: entry?.at, type: "resolved", result: "delivered", by: "command line" });
  const shown = await runCli(["messages", "show", id], world.env);
  assert.match(shown.stdout, /marked as delivered by command line/);
  const retried = await runCli(["queue", "retry", "--failed", "--dry-run", "--json"], world.env);
  assert.equal((JSON.parse(retried.stdout) as { would_retry: number }).would_retry, 1, "resolved ones are left out");
});

test("queue cancel ends the delivery to pending recipients", { timeout: 60_000 }, async (t) => {
  const world = await startWorld(t);
  const door = apiTarget(world);
  const cancel = (...args: string[]) => runCli(["queue", "cancel", ...args], world.env);
  const id = await send(door, sendBody({ to: [at("4xx-451+a"), at("4xx-451+b"), at("delivered")] }));
  await pollUntil(door, id, ({ attempts }) => attempts > 0);
  const one = await cancel(id, at("4xx-451+a"));
  assert.deepEqual(one, { code: 0, stdout: "1 recipient is cancelled.\n", stderr: "" });
  const rest = await cancel(id, "--json");
  const none = { unknown: 0, at_final_dot: 0, unreadable: 0 };
  assert.deepEqual(JSON.parse(rest.stdout), { id, cancelled: 1, ...none });
  const { code, stderr } = await cancel(id);
  assert.equal(code, 1);
  assert.match(stderr, /has 1 delivered, 2 failed: only pending recipients can be cancelled\n$/);
  const { recipients } = await lookUp(door, id);
  assert.deepEqual(
    recipients.map(({ result, reason }) => [result, reason]),
    [
      ["failed", "cancelled"],
      ["failed", "cancelled"],
      ["delivered", null],
    ],
  );
});

test("queue cancel during an attempt: the service sends no final dot, and goes on with the others", {
  timeout: 60_000,
}, async (t) => {
  const world = await startWorld(t);
  const door = apiTarget(world);
  let goOn = (): void => {};
  const waiting = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  let isAtData = false;
  const data = async () => {
    isAtData = true;
    await waiting;
    return "354 go on";
  };
  const peer = await startExchanger(t, world, { domain: "slow.example", script: { data } });
  const id = await send(door, sendBody({ to: ["ann@slow.example", "ben@slow.example"] }));
  await until("DATA", () => isAtData);
  const cancelled = await runCli(["queue", "cancel", id, "ann@slow.example"], world.env);
  assert.equal(cancelled.stdout, "1 recipient is cancelled.\n");
  goOn();
  await pollUntil(door, id, isFinal);
  const { recipients } = await lookUp(door, id);
  assert.deepEqual(
    recipients.map(({ result, reason }) => [result, reason]),
    [
      ["failed", "cancelled"],
      ["delivered", null],
    ],
  );
  assert.deepEqual(
    peer.transactions.map(({ rcptTo }) => rcptTo),
    [["ben@slow.example"]],
  );
});
