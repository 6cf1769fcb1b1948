/** What kind of obstacle stopped a message, as the lookup, the log, /metrics and the command line tell it. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createLog } from "../../src/lib/log.ts";
import { isFinal, type LookedRecipient, lookUntil, send } from "../support/front-door.ts";
import { doorOf, freeAddress, publish, startExchanger } from "../support/peers.ts";
import { runCli } from "../support/run-cli.ts";
import type { Script } from "../support/scripted-smtp.ts";
import { startWorld } from "../support/world.ts";
import { sendTo, to } from "./stories.ts";

type Told = [result: string, reason: string | null, category: string | null];

const told = ({ result, reason, category }: LookedRecipient): Told => [result, reason, category];

/** Host by host: what it says, and what the lookup shows. */
const SAID: Record<string, { script: Script; expected: Told }> = {
  "blocked.example": {
    script: { rcpt: () => "550 5.7.1 Client host [192.0.2.1] blocked using zen.spamhaus.org" },
    expected: ["failed", "recipient_refused", "reputation"],
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
    expected: ["failed", "message_refused", "authentication"],
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
    expected: ["pending", "host_refused", "reputation"],
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

test("each obstacle has its category, in the recipient and in its attempt", { timeout: 60_000 }, async (t) => {
  const written: string[] = [];
  const log = createLog("info", { write: (line: string) => void written.push(line) });
  const world = await startWorld(t, { RETRY_SCHEDULE: "1h" }, { log });
  publish(world, "dead.example", [freeAddress()]);
  world.zone.set("null.example", "MX", ["0 ."]);
  const without: Record<string, Told> = {
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
      assert.deepEqual(told(recipient), expected, domain);
      assert.equal(recipient.events.at(-1)?.category, expected?.[2], domain);
    }),
  );

  await t.test("so does its line in the log", () => {
    const lines = written.map((line) => JSON.parse(line) as Record<string, unknown>);
    const attempts = lines.filter(({ msg }) => msg === "attempt");
    const categories = Object.fromEntries(attempts.map(({ domain, category }) => [domain, category ?? null]));
    const expected = domains.map((domain) => [domain, (SAID[domain]?.expected ?? without[domain])?.[2]]);
    assert.deepEqual(categories, Object.fromEntries(expected));
  });

  await t.test("/metrics counts it by result and category, from fixed lists", async () => {
    const text = await (await fetch(`${world.service.url}/metrics`)).text();
    const series = [...text.matchAll(/^postrider_undelivered_total\{result="(\w+)",category="(\w+)"\} (\d+)$/gm)];
    assert.equal(series.length, 3 * 13);
    const counted = Object.fromEntries(series.map(([, result, category, count]) => [`${result} ${category}`, count]));
    assert.equal(counted["failed reputation"], "1");
    assert.equal(counted["pending reputation"], "1");
    assert.equal(counted["failed bad_address"], "3");
    assert.equal(counted["unknown network"], "1");
    assert.equal(counted["failed none"], "0");
  });

  await t.test("queue list shows it", async () => {
    const listed = JSON.parse((await runCli(["queue", "list", "--json"], world.env)).stdout) as LookedRecipient[];
    const found = Object.fromEntries(listed.map(({ email, category }) => [email.split("@")[1], category]));
    assert.deepEqual(found, {
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

  await t.test("messages show says in words what happened and what to do", async () => {
    const { messages } = (await (
      await fetch(`${world.service.url}/api/sending/messages?category=reputation&result=failed`, {
        headers: { Authorization: `Bearer ${world.key}` },
      })
    ).json()) as { messages: { id: string; categories: string[] }[] };
    const [blocked, ...others] = messages;
    assert.ok(blocked);
    assert.deepEqual([others, blocked.categories], [[], ["reputation"]]);
    const { stdout } = await runCli(["messages", "show", blocked.id], world.env);
    assert.match(stdout, /^ann@blocked\.example: failed \(recipient_refused, reputation\)$/m);
    assert.match(stdout, /distrusts this server's IP address or the sender's domain \(reputation\)/);
    assert.match(stdout, /which block lists name this server/);
    assert.match(stdout, /"queue retry msg_\S+ ann@blocked\.example --failed" sends it again/);
  });
});

test("what expires keeps the category of its last obstacle", { timeout: 60_000 }, async (t) => {
  const world = await startWorld(t, { RETRY_SCHEDULE: "1s", RETRY_MAX_AGE: "1s" });
  await startExchanger(t, world, { domain: "full.example", script: { rcpt: () => "452 4.2.2 Mailbox full" } });
  const id = await send(doorOf(world), to("ann@full.example"));
  const { recipients } = await lookUntil(doorOf(world), id, isFinal);
  assert.deepEqual(recipients.map(told), [["failed", "expired", "mailbox_full"]]);
});
