/**
 * Stops the real process while its peers are slow: replies of a host that accepts a message are awaited, messages not
 * handed over are retried after the next start, and API clients get responses meanwhile.
 */
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { type ApiTarget, isFinal, lookUp, pollUntil, post, send } from "../support/api-client.ts";
import { type ChildService, type ExitStatus, startChild } from "../support/child-service.ts";
import { startExchanger, until } from "../support/peers.ts";
import type { Script, ScriptedSmtp } from "../support/scripted-smtp.ts";
import { sendBody, startWorld, type World } from "../support/world.ts";
import { problemOf } from "./problem.ts";

const TIMED = { timeout: 180_000 };
const IN_CI = {
  ...TIMED,
  skip: process.env.CI === "true" ? false : "starts several services, so it runs with CI=true",
};

interface Setup {
  world: World;
  child: ChildService;
  target: ApiTarget;
}

/** The service as a child process on a world's data directory. */
async function startSetup(t: TestContext, env: Record<string, string> = {}): Promise<Setup> {
  const world = await startWorld(t, env);
  await world.service.stop();
  const child = await startChild(t, world.env);
  return { world, child, target: { url: child.url, key: world.key } };
}

/** The recipient's state after the next start. */
async function startSecondService(t: TestContext, { world }: Setup): Promise<ApiTarget> {
  const { url } = await startChild(t, world.env);
  return { url, key: world.key };
}

/** A message to a host of its own, once `reached` returns true for that host. */
async function mailTo(
  t: TestContext,
  { world, target }: Setup,
  { domain, script, reached }: { domain: string; script: Script; reached: (peer: ScriptedSmtp) => boolean },
): Promise<{ id: string; peer: ScriptedSmtp }> {
  const peer = await startExchanger(t, world, { domain, script });
  const id = await send(target, sendBody({ to: `ann@${domain}` }));
  await until(`the message at ${domain}`, () => reached(peer));
  return { id, peer };
}

const hasDot = (peer: ScriptedSmtp): boolean => peer.transactions.length > 0;

/** The log line in which a stop ends delivery. */
function stoppedLine({ stdout }: ExitStatus): Record<string, unknown> {
  const lines = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  return lines.find(({ msg }) => msg === "delivery stopped") ?? assert.fail(stdout);
}

async function stopping({ url }: ApiTarget): Promise<void> {
  while ((await fetch(`${url}/readyz`)).status !== 503) await delay(10);
}

test(
  "SIGTERM while a host delays its final reply: API clients get responses, and the process exits after the reply",
  TIMED,
  async (t) => {
    const setup = await startSetup(t, { STOP_REPLY_WAIT: "60s" });
    const { child, target } = setup;
    let reply = () => {};
    const replied = new Promise<string>((resolve) => {
      reply = () => resolve("250 2.0.0 at last");
    });
    const slow = { domain: "slow.example", script: { dot: () => replied }, reached: hasDot };
    const { id, peer } = await mailTo(t, setup, slow);
    const quick = await startExchanger(t, setup.world, { domain: "quick.example" });
    await pollUntil(target, await send(target, sendBody({ to: "ann@quick.example" })), isFinal);
    const held = lookUp(target, id, "?wait=60");
    const ending = child.kill("SIGTERM");
    await stopping(target);
    const refused = await post(target, sendBody());
    assert.ok(Number(refused.headers.get("retry-after")) >= 1);
    await problemOf(refused, 503, "engine_unavailable");
    assert.equal((await lookUp(target, id)).recipients[0]?.result, "pending");
    await until("QUIT on an idle session", () => quick.commands.includes("QUIT"));
    reply();
    assert.equal((await held).recipients[0]?.result, "delivered");
    const ended = await ending;
    assert.equal(ended.code, 0, ended.stderr);
    assert.equal(stoppedLine(ended).recipientsAtFinalDot, 0);
    const [recipient] = (await lookUp(await startSecondService(t, setup), id)).recipients;
    assert.deepEqual([recipient?.result, recipient?.attempts, peer.transactions.length], ["delivered", 1, 1]);
  },
);

test(
  "a host that does not reply within STOP_REPLY_WAIT: unknown, counted in the log, and not retried",
  IN_CI,
  async (t) => {
    const setup = await startSetup(t, { STOP_REPLY_WAIT: "1s" });
    const silent = { domain: "silent.example", script: { dot: () => ({ silent: true }) as const }, reached: hasDot };
    const { id, peer } = await mailTo(t, setup, silent);
    const held = lookUp(setup.target, id, "?wait=60");
    const ended = await setup.child.kill("SIGTERM");
    assert.equal(ended.code, 0, ended.stderr);
    const { recipientsAtFinalDot, level } = stoppedLine(ended);
    assert.deepEqual([recipientsAtFinalDot, level], [1, 40]);
    assert.equal((await held).recipients[0]?.result, "unknown", "a held lookup gets a response before the exit");
    const [recipient] = (await lookUp(await startSecondService(t, setup), id)).recipients;
    assert.deepEqual([recipient?.result, recipient?.reason], ["unknown", "interrupted_after_final_dot"]);
    assert.equal(recipient?.events.at(-1)?.tries?.[0]?.ip, peer.host);
    assert.equal(peer.transactions.length, 1);
  },
);

test(
  "a transaction that does not reach its final dot is aborted and repeated after the next start",
  IN_CI,
  async (t) => {
    const setup = await startSetup(t, { STOP_REPLY_WAIT: "1s", RETRY_SCHEDULE: "8h" });
    let isHeld = true;
    const { id, peer } = await mailTo(t, setup, {
      domain: "held.example",
      script: { data: () => (isHeld ? { silent: true } : undefined) },
      reached: ({ commands }) => commands.includes("DATA"),
    });
    const ended = await setup.child.kill("SIGTERM");
    assert.deepEqual([ended.code, stoppedLine(ended).recipientsAtFinalDot, peer.transactions.length], [0, 0, 0]);
    isHeld = false;
    const [recipient] = (await pollUntil(await startSecondService(t, setup), id, isFinal)).recipients;
    assert.deepEqual([recipient?.result, recipient?.attempts, peer.transactions.length], ["delivered", 2, 1]);
    const cut = recipient?.events.find(({ attempt }) => attempt === 1);
    assert.deepEqual([cut?.type, cut?.reason], ["deferred", "interrupted_before_final_dot"]);
  },
);

test(
  "a second signal ends the wait at once; recipients without a reply are unknown after the next start",
  IN_CI,
  async (t) => {
    const setup = await startSetup(t, { STOP_REPLY_WAIT: "10m" });
    const silent = { domain: "silent.example", script: { dot: () => ({ silent: true }) as const }, reached: hasDot };
    const { id, peer } = await mailTo(t, setup, silent);
    let ended: ExitStatus | null = null;
    // Signals within a second of the first count as the same.
    while (ended === null) ended = await Promise.race([setup.child.kill("SIGTERM"), delay(100, null)]);
    assert.equal(ended.code, 1);
    const [recipient] = (await lookUp(await startSecondService(t, setup), id)).recipients;
    assert.deepEqual([recipient?.result, recipient?.reason], ["unknown", "interrupted_after_final_dot"]);
    assert.equal(peer.transactions.length, 1);
  },
);
