/** Forged bounces, complaints and unsubscribe requests by the thousand change nothing, and genuine ones after them do. */
import assert from "node:assert/strict";
import { randomBytes, randomInt } from "node:crypto";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type TestContext, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { decodeBase32, encodeBase32 } from "../../src/message/base32.ts";
import { bytesOfMessageId, MESSAGE_ID_BYTES } from "../../src/message/ids.ts";
import { returnPathAddress } from "../../src/message/return-path.ts";
import { type UnsubscribeTarget, unsubscribeToken } from "../../src/message/unsubscribe-token.ts";
import Sqlite from "../../src/spool/engine/sqlite/connection/driver.ts";
import { headerField } from "../../src/testing/sink/header.ts";
import { lines, report } from "../message/feedback/samples.ts";
import { until } from "../support/peers.ts";
import { activateReturnPath } from "../support/return-path.ts";
import { SubmissionClient } from "../support/submission-client.ts";
import { bindVerified, RECIPIENT_DOMAIN, SENDER_DOMAIN, sendBody, startWorld, type World } from "../support/world.ts";

/** FORGERIES=10000 takes two minutes. */
const FORGERIES = Number(process.env.FORGERIES ?? 2000);
/** Connections at a time. */
const CONNECTIONS = 8;
/** Within the limits of a session and of an address (src/inbound/). */
const RECIPIENTS_PER_SESSION = 10;
const MESSAGES_PER_ADDRESS = 250;
const OTHER_DOMAIN = "other.example";
const COMPLAINTS = `complaints@bounces.${SENDER_DOMAIN}`;
const ONE_CLICK = { method: "POST", body: new URLSearchParams({ "List-Unsubscribe": "One-Click" }) };

/** What a bounce, complaint or unsubscription could change. */
const TABLES = [
  "messages",
  "recipients",
  "events",
  "feedback",
  "suppressed_addresses",
  "refused_addresses",
  "quarantined",
  "dmarc_reports",
  "tls_reports",
];

/** A delivered message. */
/** Where links lead; the test follows them to the service itself. */
const PUBLIC_URL = "https://mail.shop.example";

interface Sent {
  id: string;
  email: string;
  envelopeSender: string;
  /** Of one-click unsubscribe. */
  link: string;
}

async function sent(world: World, local: string, domain = SENDER_DOMAIN): Promise<Sent> {
  const email = `${local}@${RECIPIENT_DOMAIN}`;
  const answer = await world.post(sendBody({ from: `hello@${domain}`, to: email, unsubscribe: true }));
  const { id } = (await answer.json()) as { id: string };
  const { message_id } = (await (await world.lookUp(id, "?wait=20")).json()) as { message_id: string };
  const entry = world.sink.entries.find((each) => each.message_id === message_id) ?? assert.fail("it has not arrived");
  const content = readFileSync(join(dirname(world.env.DATA_DIR ?? ""), "sink", entry.file ?? ""));
  const field = headerField(content, "List-Unsubscribe") ?? assert.fail("it has no link");
  const link = field.slice(1, -1).replace(PUBLIC_URL, world.service.url);
  return { id, email, envelopeSender: entry.mail_from, link };
}

/** All rows of the tables. */
function stored({ env }: World): Record<string, unknown[]> {
  const db = new Sqlite(join(env.DATA_DIR ?? "", "postrider.db"), { readonly: true });
  try {
    return Object.fromEntries(TABLES.map((table) => [table, db.prepare(`SELECT * FROM ${table}`).all()]));
  } finally {
    db.close();
  }
}

/** Calls `run` with 0 to `count` - 1, several at a time. */
async function inParallel(count: number, run: (i: number) => Promise<void>): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < count) {
      next += 1;
      await run(next - 1);
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, worker));
}

const pick = <T>(list: readonly T[]): T => list[randomInt(list.length)] ?? assert.fail();
const BASE32 = [..."abcdefghijklmnopqrstuvwxyz234567"];

/** Replaces a character with another one of the alphabet. */
function altered(text: string, alphabet: readonly string[]): string {
  const at = randomInt(text.length);
  return text.slice(0, at) + pick(alphabet.filter((each) => each !== text[at])) + text.slice(at + 1);
}

/** An envelope sender with other bytes before its tag. */
function retagged(address: string, change: (bytes: Buffer) => void): string {
  const at = address.indexOf("@");
  const bytes = Buffer.from(decodeBase32(address.slice(2, at)) ?? assert.fail(address));
  change(bytes);
  return `b-${encodeBase32(bytes)}${address.slice(at)}`;
}

type Forge = (all: readonly Sent[], foreign: Sent) => string;

const FORGED_SENDERS: readonly Forge[] = [
  // Random tags, and other bytes than those that were signed.
  (all) => retagged(pick(all).envelopeSender, (bytes) => void randomBytes(8).copy(bytes, bytes.length - 8)),
  (all) =>
    retagged(pick(all).envelopeSender, (bytes) => void bytes.writeUInt16BE(1 + randomInt(65_535), MESSAGE_ID_BYTES)),
  (all) => {
    const from = pick(all);
    const to = pick(all.filter((each) => each !== from));
    return retagged(from.envelopeSender, (bytes) => void bytesOfMessageId(to.id)?.copy(bytes));
  },
  (all) => {
    const [local = ""] = pick(all).envelopeSender.slice(2).split("@");
    return `b-${altered(local, BASE32)}@bounces.${SENDER_DOMAIN}`;
  },
  () => `b-${Array.from({ length: 45 }, () => pick(BASE32)).join("")}@bounces.${SENDER_DOMAIN}`,
  // Tags of the other domain, and those of this one at the other.
  (all, foreign) =>
    pick([
      foreign.envelopeSender.replace(OTHER_DOMAIN, SENDER_DOMAIN),
      pick(all).envelopeSender.replace(SENDER_DOMAIN, OTHER_DOMAIN),
    ]),
  (all) => {
    const about = { messageId: pick(all).id, position: 0, domain: SENDER_DOMAIN };
    return returnPathAddress(about, randomBytes(32));
  },
  (all) => {
    const [local = "", domain = ""] = pick(all).envelopeSender.split("@");
    return `${pick([local.slice(0, randomInt(1, local.length)), `${local}a`, `${local}+x`, `x${local}`])}@${domain}`;
  },
];

const forgedSender = (i: number, all: readonly Sent[], foreign: Sent): string =>
  (FORGED_SENDERS[i % FORGED_SENDERS.length] ?? assert.fail())(all, foreign);

const bounceOf = (to: string, recipient: string): Buffer =>
  report(["From: MAILER-DAEMON@mx.customers.example", `To: ${to}`, "Subject: Undelivered"], "delivery-status", [
    ["text/plain", "No such user."],
    [
      "message/delivery-status",
      lines(
        "Reporting-MTA: dns; mx.customers.example",
        "",
        `Final-Recipient: rfc822; ${recipient}`,
        "Action: failed",
        "Status: 5.1.1",
        "Diagnostic-Code: smtp; 550 5.1.1 No such user",
      ),
    ],
    ["text/rfc822-headers", `Return-Path: <${to}>`],
  ]);

const complaintOf = (envelopeSender: string, { id, email }: Sent): Buffer =>
  report(["From: feedback@provider.example", "Subject: FW: Hello"], "feedback-report", [
    ["text/plain", "This is an abuse report."],
    [
      "message/feedback-report",
      lines(
        "Feedback-Type: abuse",
        "User-Agent: Provider/1.0",
        "Version: 1",
        `Original-Mail-From: <${envelopeSender}>`,
        `Original-Rcpt-To: <${email}>`,
        `Original-Envelope-Id: ${id}`,
      ),
    ],
    ["message/rfc822", lines(`Return-Path: <${envelopeSender}>`, `To: ${email}`, "Subject: Hello", "", "Hi")],
  ]);

const portOf = ({ service }: World): number => service.inboundPort ?? assert.fail("it does not listen");

async function greeted(t: TestContext, world: World, address = "127.0.0.1"): Promise<SubmissionClient> {
  const client = await SubmissionClient.open(t, portOf(world), address);
  assert.match(client.greeting, /^220 /);
  await client.command("EHLO mx.example");
  return client;
}

/** Sends the commands at once (RFC 2920), and returns the replies. */
async function pipelined(client: SubmissionClient, commands: readonly string[]): Promise<string[]> {
  client.write(commands.map((line) => `${line}\r\n`).join(""));
  const replies: string[] = [];
  for (const _ of commands) replies.push(await client.reply());
  return replies;
}

/** Bounces to forged envelope senders: each is rejected at RCPT. */
async function forgeBounces(t: TestContext, world: World, all: readonly Sent[], foreign: Sent): Promise<void> {
  await inParallel(FORGERIES / RECIPIENTS_PER_SESSION, async (session) => {
    const client = await greeted(t, world, `127.0.2.${1 + Math.floor(session / MESSAGES_PER_ADDRESS)}`);
    const first = session * RECIPIENTS_PER_SESSION;
    const addresses = Array.from({ length: RECIPIENTS_PER_SESSION }, (_, i) => forgedSender(first + i, all, foreign));
    const commands = ["MAIL FROM:<>", ...addresses.map((address) => `RCPT TO:<${address}>`), "DATA"];
    const [mail, ...replies] = await pipelined(client, commands);
    assert.match(mail ?? "", /^250 /);
    assert.match(replies.pop() ?? "", /^503 /);
    for (const [i, reply] of replies.entries()) assert.match(reply, /^550 5\.1\.1 /, addresses[i]);
    client.close();
  });
}

/** Complaints, and some bounces, to the address for complaints: each is accepted. */
async function forgeComplaints(t: TestContext, world: World, all: readonly Sent[], foreign: Sent): Promise<void> {
  await inParallel(FORGERIES / MESSAGES_PER_ADDRESS, async (session) => {
    const client = await greeted(t, world, `127.0.1.${1 + session}`);
    for (let i = 0; i < MESSAGES_PER_ADDRESS; i += 1) {
      const sender = forgedSender(i, all, foreign);
      const about = pick(all);
      const content = i % 10 === 9 ? bounceOf(sender, about.email) : complaintOf(sender, about);
      const replies = await pipelined(client, [`MAIL FROM:<>`, `RCPT TO:<${COMPLAINTS}>`, "DATA"]);
      assert.match(replies.at(-1) ?? "", /^354 /, replies.join("\n"));
      client.write(Buffer.concat([content, Buffer.from("\r\n.\r\n")]));
      assert.match(await client.reply(), /^250 /);
    }
    client.close();
  });
}

const BASE64URL = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"];

function targetOf({ id, email }: Sent): UnsubscribeTarget {
  return { accountId: "acc_default", messageId: id, position: 0, email };
}

function tokenParts({ link }: Sent): [payload: string, mac: string] {
  const [payload = "", mac = ""] = link.slice(link.lastIndexOf("/") + 1).split(".");
  return [payload, mac];
}

const payloadOf = (target: UnsubscribeTarget): string => unsubscribeToken(target, randomBytes(32)).split(".")[0] ?? "";

const FORGED_TOKENS: readonly ((all: readonly Sent[]) => string)[] = [
  (all) => unsubscribeToken(targetOf(pick(all)), randomBytes(32)),
  (all) => `${tokenParts(pick(all))[0]}.${randomBytes(16).toString("base64url")}`,
  (all) => {
    const from = pick(all);
    return `${tokenParts(pick(all.filter((each) => each !== from)))[0]}.${tokenParts(from)[1]}`;
  },
  (all) => {
    const from = pick(all);
    const changes = [{ position: 1 + randomInt(9) }, { email: `victim${randomInt(1000)}@${RECIPIENT_DOMAIN}` }];
    return `${payloadOf({ ...targetOf(from), ...pick(changes) })}.${tokenParts(from)[1]}`;
  },
  (all) => `${payloadOf({ ...targetOf(pick(all)), accountId: "acc_other" })}.${tokenParts(pick(all))[1]}`,
  (all) => {
    const [payload, mac] = tokenParts(pick(all));
    return pick([`${altered(payload, BASE64URL)}.${mac}`, `${payload}.${altered(mac, BASE64URL)}`]);
  },
  (all) => {
    const [payload, mac] = tokenParts(pick(all));
    return pick([payload, `${payload}.`, `.${mac}`, `${payload}.${mac.slice(0, -1)}`, `${payload}.${mac}A`]);
  },
];

async function forgeUnsubscriptions({ service }: World, all: readonly Sent[]): Promise<void> {
  await inParallel(FORGERIES, async (i) => {
    const token = (FORGED_TOKENS[i % FORGED_TOKENS.length] ?? assert.fail())(all);
    const answer = await fetch(`${service.url}/unsubscribe/${token}`, ONE_CLICK);
    await answer.arrayBuffer();
    assert.equal(answer.status, 404, token);
  });
}

/** Resolves once all stored mail is read, as long as some is read every few seconds. */
async function allRead({ env }: World): Promise<void> {
  const db = new Sqlite(join(env.DATA_DIR ?? "", "postrider.db"), { readonly: true });
  const count = db.prepare<[], number>("SELECT count(*) FROM incoming").pluck();
  const left = (): number => count.get() ?? 0;
  for (let last = Number.POSITIVE_INFINITY; left() > 0; ) {
    const before = left();
    assert.ok(before < last, `${before} mails are not read`);
    last = before;
    for (let waits = 0; left() === before && waits < 200; waits += 1) await delay(50);
  }
  db.close();
}

async function metric({ service }: World, name: string): Promise<number> {
  const text = await (await fetch(`${service.url}/metrics`)).text();
  return Number(
    text
      .split("\n")
      .find((line) => line.startsWith(`${name} `))
      ?.slice(name.length) ?? Number.NaN,
  );
}

interface Lookup {
  recipients: { result: string; bounce?: { status: string }; complaint?: { type: string }; unsubscribed_at?: string }[];
}

async function recipientOf(world: World, { id }: Sent) {
  return ((await (await world.lookUp(id)).json()) as Lookup).recipients[0] ?? assert.fail();
}

test("forged feedback", { timeout: 600_000 }, async (t) => {
  const world = await startWorld(t, { INBOUND_PORT: "0", PUBLIC_URL });
  await bindVerified({ ...world, certsDir: world.env.CERTS_DIR ?? "" }, OTHER_DOMAIN);
  for (const name of [SENDER_DOMAIN, OTHER_DOMAIN]) await activateReturnPath(world, name);
  const [ann, bob, cid] = [await sent(world, "ann"), await sent(world, "bob"), await sent(world, "cid")];
  const all = [ann, bob, cid];
  const foreign = await sent(world, "dee", OTHER_DOMAIN);
  assert.match(foreign.envelopeSender, /@bounces\.other\.example$/);
  const before = stored(world);

  await t.test("bounces are rejected, and change nothing", async (t) => {
    await forgeBounces(t, world, all, foreign);
    assert.equal(await metric(world, 'postrider_incoming_refused_total{code="unknown_recipient"}'), FORGERIES);
    assert.deepEqual(stored(world), before);
  });

  await t.test("complaints are matched with no message, and change nothing", async (t) => {
    await forgeComplaints(t, world, all, foreign);
    await allRead(world);
    assert.equal(await metric(world, 'postrider_incoming_applied_total{outcome="unmatched"}'), FORGERIES);
    assert.deepEqual(stored(world), before);
  });

  await t.test("unsubscribe requests find no page, and change nothing", async () => {
    await forgeUnsubscriptions(world, all);
    assert.deepEqual(stored(world), before);
  });

  await t.test("does not keep genuine feedback from its effect", async (t) => {
    const client = await greeted(t, world);
    const bounce = { from: "", to: [ann.envelopeSender], content: bounceOf(ann.envelopeSender, ann.email) };
    assert.match(await client.send(bounce), /^250 /);
    const complaint = { from: "", to: [COMPLAINTS], content: complaintOf(bob.envelopeSender, bob) };
    assert.match(await client.send(complaint), /^250 /);
    assert.equal((await fetch(cid.link, ONE_CLICK)).status, 200);
    await until("the bounce", async () => (await recipientOf(world, ann)).bounce?.status === "5.1.1");
    await until("the complaint", async () => (await recipientOf(world, bob)).complaint?.type === "abuse");
    assert.match((await recipientOf(world, cid)).unsubscribed_at ?? "", /^\d{4}-/);
    const nowMs = Date.now() + 1000;
    const { addresses: listed } = await world.service.spool.suppressions({
      accountId: "acc_default",
      after: 1,
      nowMs,
      limit: 10,
    });
    assert.deepEqual(listed.map(({ email, cause }) => [email, cause]).toSorted(), [
      [ann.email, "refusals"],
      [bob.email, "complaint"],
      [cid.email, "unsubscribed"],
    ]);
  });
});
