/**
 * While this server's reverse name or a domain's records are missing, receivers refuse everything with a 5xx: no recipient fails, the
 * receiver gets few attempts, the alarm is raised, and all messages are delivered afterwards.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { createLog } from "../../src/lib/log.ts";
import { fill, loadFor } from "../support/load.ts";
import { startExchanger, until } from "../support/peers.ts";
import type { Script } from "../support/scripted-smtp.ts";
import { SENDER_DOMAIN, startWorld } from "../support/world.ts";

const MESSAGES = 300;

/**
 * Refused before the mail stops: a window of five attempts, and what was claimed beside them. The others are probes, of which there are
 * a handful in half a minute.
 */
const REFUSALS_MAX = 40;

/** A refusal so long after the one before is that of a probe. */
const PAUSE_MS = 700;

/** A probe may be due half a minute later on a busy machine. */
const LATE_MS = 120_000;

/** As `until`, for what takes long; it asks seldom, because asking is work too. */
async function untilLate(what: string, happened: () => Promise<boolean>): Promise<void> {
  const giveUpMs = Date.now() + LATE_MS;
  while (!(await happened())) {
    if (Date.now() > giveUpMs) throw new Error(`waited too long for: ${what}`);
    await delay(500);
  }
}

interface Case {
  stage: keyof Pick<Script, "mail" | "rcpt" | "dot">;
  refusal: string;
  reason: string;
  /** The log line of the alarm. */
  alarm: string;
  metric: RegExp;
}

const CASES: Case[] = [
  {
    stage: "rcpt",
    refusal: "550 5.7.25 The IP address sending this message does not have a PTR record",
    reason: "sending_address_blocked",
    alarm: "destination closed",
    metric: /^postrider_destinations\{state="blocked"\} 1$/m,
  },
  {
    stage: "mail",
    refusal: "554 5.7.1 Client host rejected: cannot find your reverse hostname, [192.0.2.1]",
    reason: "sending_address_blocked",
    alarm: "destination closed",
    metric: /^postrider_destinations\{state="blocked"\} 1$/m,
  },
  {
    stage: "dot",
    refusal: "550 5.7.26 This mail has been blocked because the sender is unauthenticated",
    reason: "sending_domain_refused",
    alarm: "sending domain paused",
    metric: /^postrider_paused_senders 1$/m,
  },
  {
    stage: "mail",
    refusal: "550 5.1.8 Sender address rejected: Domain not found",
    reason: "sending_domain_refused",
    alarm: "sending domain paused",
    metric: /^postrider_paused_senders 1$/m,
  },
];

for (const { stage, refusal, reason, alarm, metric } of CASES) {
  test(`${MESSAGES} messages, all refused with "${refusal.slice(0, 30)}" at ${stage}: none fails, all arrive`, async (t) => {
    const lines: string[] = [];
    const log = createLog("info", { write: (line: string) => void lines.push(line) });
    const world = await startWorld(t, { RETRY_SCHEDULE: "1s" }, { log });
    let [isRefusing, isProbed, refusals, lastMs] = [true, false, 0, Number.POSITIVE_INFINITY];
    const refuse = (): string | undefined => {
      if (!isRefusing) return undefined;
      isProbed ||= Date.now() - lastMs > PAUSE_MS;
      [refusals, lastMs] = [refusals + 1, Date.now()];
      return refusal;
    };
    await startExchanger(t, world, { domain: "strict.example", script: { [stage]: refuse } });
    const ids = await fill(world, MESSAGES, await loadFor(world, "strict.example"));
    const recipients = async () => {
      const reports = await Promise.all(ids.map((id) => world.service.spool.report(id)));
      return reports.map((report) => report?.recipients[0]);
    };
    const metrics = async () => (await fetch(`${world.service.url}/metrics`)).text();
    await until("the alarm", () => lines.some((line) => line.includes(`"msg":"${alarm}"`)));
    await until("the metric", async () => metric.test(await metrics()));
    await until("a probe", () => isProbed);
    const waiting = await recipients();
    assert.deepEqual([...new Set(waiting.map((each) => each?.result))], ["pending"]);
    const refused = waiting.find((each) => each?.smtp !== null && each?.smtp !== undefined);
    assert.deepEqual(
      [refused?.reason, refused?.category, refused?.smtp?.code],
      [reason, "authentication", Number(refusal.slice(0, 3))],
    );
    assert.ok(refusals <= REFUSALS_MAX, `${refusals} attempts while all was refused`);
    isRefusing = false;
    await untilLate("all messages", async () => (await recipients()).every((each) => each?.result === "delivered"));
  });
}

test("a refused sending domain has its records checked at once, and other receivers get its mail", async (t) => {
  const world = await startWorld(t, { RETRY_SCHEDULE: "1s" });
  await startExchanger(t, world, { domain: "strict.example", script: { dot: () => "550 5.7.26 unauthenticated" } });
  const other = await startExchanger(t, world, { domain: "other.example" });
  const toStrict = await loadFor(world, "strict.example");
  await fill(world, 5, toStrict);
  const checkedAtMs = async (): Promise<number> => {
    const domain = await world.service.registry.domainNamed(toStrict.accountId, SENDER_DOMAIN);
    return Math.max(...Object.values(domain?.checks ?? {}).map(({ checkedAtMs: atMs }) => atMs ?? 0));
  };
  const beforeMs = await checkedAtMs();
  await until("the check of its records", async () => (await checkedAtMs()) > beforeMs);
  await fill(world, 20, { ...toStrict, domainOf: () => "other.example" });
  await until("the mail to others", () => other.transactions.length === 20);
});
