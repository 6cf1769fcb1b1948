/** The category of the obstacle that stopped a message, in the lookup, the log, /metrics and the command line. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createLog } from "../../src/lib/log.ts";
import { isFinal, pollUntil, type RecipientReport, send } from "../support/api-client.ts";
import { apiTarget, freeAddress, publish, startExchanger } from "../support/peers.ts";
import { runCli } from "../support/run-cli.ts";
import type { Script } from "../support/scripted-smtp.ts";
import { startWorld } from "../support/world.ts";
import { sendTo, to } from "./smtp-scenarios.ts";

type Summary = [result: string, reason: string | null, category: string | null];

const summary = ({ result, reason, category }: RecipientReport): Summary => [result, reason, category];

/** By host: its reply, and the category in the lookup. */
const SAID: Record<string, { script: Script; expected: Summary }> = {
  "blocked.example": {
    script: { rcpt: () => "550 5.7.1 Client host [192.0.2.1] blocked using zen.spamhaus.org" },
    expected: ["pending", "sending_address_blocked", "reputation"],
  },
  "rejected.example": {
    script: { dot: () => "550 5.7.1 suspicious due to the very low reputation of the sending domain" },
    expected: ["failed", "message_refused", "reputation"],
  },
  "unknown.example": {
    script: { rcpt: () => "550 5.1.1 User unknown" },
    expected: ["failed", "recipient_refused", "bad_address"],
  },
  "disabled.example": {
    script: { rcpt: () => "550 5.2.1 The email account that you tried to reach is disabled." },
    expected: ["failed", "recipient_refused", "mailbox_disabled"],
  },
  "full.example": {
    script: { rcpt: () => "452 4.2.2 The recipient's inbox is out of storage space." },
    expected: ["pending", "temporarily_refused", "mailbox_full"],
  },
  "grey.example": {
    script: { rcpt: () => "451 4.7.1 Greylisted, please come back later" },
    expected: ["pending", "temporarily_refused", "greylisted"],
  },
  "dmarc.example": {
    script: { dot: () => "550 5.7.26 Unauthenticated email is not accepted due to domain's DMARC policy" },
    expected: ["pending", "sending_domain_refused", "authentication"],
  },
  "spam.example": {
    script: { dot: () => "554 5.7.1 Message identified as spam" },
    expected: ["failed", "message_refused", "content"],
  },
  "rule.example": {
    script: { mail: () => "550 5.7.1 Administrative prohibition" },
    expected: ["failed", "sender_refused", "policy"],
  },
  "busy.example": {
    script: { greeting: () => "421 4.7.0 Too many connections from your address" },
    expected: ["pending", "host_refused", "rate_limited"],
  },
  "listed.example": {
    script: { greeting: () => "554 IP address is block listed" },
    expected: ["pending", "sending_address_blocked", "reputation"],
  },
  "large.example": {
    script: { ehlo: () => "250-large.example\n250 SIZE 100" },
    expected: ["failed", "message_too_large", "too_large"],
  },
  "plain.example": {
    script: { rcpt: () => "550 No" },
    expected: ["failed", "recipient_refused", "other"],
  },
  "cut.example": {
    script: { dot: () => ({ drop: true }) },
    expected: ["unknown", "connection_lost_after_final_dot", "network"],
  },
  "taken.example": { script: {}, expected: ["delivered", null, null] },
};

test("the recipient and its attempt have the category of each obstacle", { timeout: 60_000 }, async (t) => {
  const written: string[] = [];
  const log = createLog("info", { write: (line: string) => void written.push(line) });
  const world = await startWorld(t, { RETRY_SCHEDULE: "1h" }, { log });
  publish(world, "dead.example", [freeAddress()]);
  world.zone.set("null.example", "MX", ["0 ."]);
  const without: Record<string, Summary> = {
    "dead.example": ["pending", "connection_failed", "network"],
    "null.example": ["failed", "null_mx", "bad_address"],
    "nowhere.example": ["failed", "domain_not_found", "bad_address"],
  };
  const domains = [...Object.keys(SAID), ...Object.keys(without)];
  await Promise.all(
    domains.map(async (domain) => {
      const { script, expected } = SAID[domain] ?? { script: null, expected: without[domain] };
      if (script !== null) await startExchanger(t, world, { domain, script });
      const recipient = await sendTo(world, domain);
      assert.deepEqual(summary(recipient), expected, domain);
      assert.equal(recipient.events.at(-1)?.category, expected?.[2], domain);
    }),
  );

  await t.test("the log line has the category", () => {
    const lines = written.map((line) => JSON.parse(line) as Record<string, unknown>);
    const attempts = lines.filter(({ msg }) => msg === "attempt");
    const categories = Object.fromEntries(attempts.map(({ domain, category }) => [domain, category ?? null]));
    const expected = domains.map((domain) => [domain, (SAID[domain]?.expected ?? without[domain])?.[2]]);
    assert.deepEqual(categories, Object.fromEntries(expected));
  });

  await t.test("/metrics counts results by category, from fixed lists", async () => {
    const text = await (await fetch(`${world.service.url}/metrics`)).text();
    const series = [...text.matchAll(/^postrider_undelivered_total\{result="(\w+)",category="(\w+)"\} (\d+)$/gm)];
    assert.equal(series.length, 3 * 13);
    const counted = Object.fromEntries(series.map(([, result, category, count]) => [`${result} ${category}`, count]));
    assert.equal(counted["failed reputation"], "1");
    assert.equal(counted["pending reputation"], "2");
    assert.equal(counted["failed bad_address"], "3");
    assert.equal(counted["unknown network"], "1");
    assert.equal(counted["failed none"], "0");
  });

  await t.test("queue list shows the category", async () => {
    const listed = JSON.parse((await runCli(["queue", "list", "--json"], world.env)).stdout) as RecipientReport[];
    const found = Object.fromEntries(listed.map(({ email, category }) => [email.split("@")[1], category]));
    assert.deepEqual(found, {
      "blocked.example": "reputation",
      "dmarc.example": "authentication",
      "full.example": "mailbox_full",
      "grey.example": "greylisted",
      "busy.example": "rate_limited",
      "listed.example": "reputation",
      "dead.example": "network",
      "cut.example": "network",
    });
    const { stdout } = await runCli(["queue", "list", "--domain", "full.example"], world.env);
    assert.match(stdout, /^MESSAGE .* CATEGORY +REASON$/m);
    assert.match(stdout, / mailbox_full {2}452 The recipient's inbox/);
  });

  await t.test("messages show explains the category and suggests an action", async () => {
    const { messages } = (await (
      await fetch(`${world.service.url}/api/sending/messages?category=reputation&result=failed`, {
        headers: { Authorization: `Bearer ${world.key}` },
      })
    ).json()) as { messages: { id: string; categories: string[] }[] };
    const [blocked, ...others] = messages;
    assert.ok(blocked);
    assert.deepEqual([others, blocked.categories], [[], ["reputation"]]);
    const { stdout } = await runCli(["messages", "show", blocked.id], world.env);
    assert.match(stdout, /^ann@rejected\.example: failed \(message_refused, reputation\)$/m);
    assert.match(stdout, /distrusts this server's IP address or the sender's domain \(reputation\)/);
    assert.match(stdout, /which blocklists name this server/);
    assert.match(stdout, /"queue retry msg_\S+ ann@rejected\.example --failed" sends it again/);
  });
});

test("an expired recipient keeps the category of its last obstacle", { timeout: 60_000 }, async (t) => {
  const world = await startWorld(t, { RETRY_SCHEDULE: "1s", RETRY_MAX_AGE: "1s" });
  await startExchanger(t, world, { domain: "full.example", script: { rcpt: () => "452 4.2.2 Mailbox full" } });
  const id = await send(apiTarget(world), to("ann@full.example"));
  const { recipients } = await pollUntil(apiTarget(world), id, isFinal);
  assert.deepEqual(recipients.map(summary), [["failed", "expired", "mailbox_full"]]);
});
