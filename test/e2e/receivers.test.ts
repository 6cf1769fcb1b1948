/**
 * Receivers that behave like large ones: no more connections at one time and messages a connection than they allow; a pause as long as
 * they ask for, which one probe ends; a block of the sending address, which fails no recipient. What `receivers` says of each.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { MessageReport, RecipientReport } from "../support/api-client.ts";
import { clientOf } from "../support/dashboard/sign-in.ts";
import { LimitedPeer } from "../support/limited-peer.ts";
import { freeAddress, startPeer, until } from "../support/peers.ts";
import { runCli } from "../support/run-cli.ts";
import type { ScriptedSmtp } from "../support/scripted-smtp.ts";
import { sendBody, startWorld, type World } from "../support/world.ts";

/** Publishes a host with a name of a receiver as the exchanger of domains. */
function publishAs(world: World, host: string, exchanger: string, domains: readonly string[]): void {
  for (const domain of domains) world.zone.set(domain, "MX", [`10 ${exchanger}.`]);
  world.zone.set(exchanger, "A", [host]);
}

async function send(world: World, to: string): Promise<string> {
  const response = await world.post(sendBody({ to }));
  assert.equal(response.status, 202);
  return ((await response.json()) as { id: string }).id;
}

async function recipientOf(world: World, id: string): Promise<RecipientReport | undefined> {
  const response = await world.lookUp(id);
  return ((await response.json()) as MessageReport).recipients[0];
}

async function shown(world: World, name: string): Promise<Record<string, unknown>> {
  const { stdout, stderr } = await runCli(["receivers", "show", name, "--json"], world.env);
  assert.equal(stderr, "");
  return JSON.parse(stdout) as Record<string, unknown>;
}

/** The messages a minute of Yahoo! Japan, and what their bucket holds. */
const PER_MINUTE = 600;
const BURST = 30;

/** The most transactions of one connection. */
function mostOfOne({ transactions }: ScriptedSmtp): number {
  const counts = new Map<number, number>();
  for (const { connection } of transactions) counts.set(connection, (counts.get(connection) ?? 0) + 1);
  return Math.max(...counts.values());
}

test("connections and messages a connection stay within the receiver's, and an operator's limits replace them", async (t) => {
  const world = await startWorld(t);
  const place = { host: freeAddress(), port: Number(world.env.SMTP_PORT) };
  const gmail = await LimitedPeer.start({ ...place, connectionsMax: 5, replyMs: 3 });
  t.after(() => gmail.smtp.close());
  // Exchangers of both kinds, for domains of customers too.
  publishAs(world, place.host, "aspmx.l.google.com", ["gmail.com", "customer-1.example"]);
  publishAs(world, place.host, "aspmx2.googlemail.com", ["customer-2.example"]);
  const icloud = await startPeer(t, world);
  publishAs(world, icloud.host, "mx01.mail.icloud.com", ["icloud.com"]);
  const domains = ["gmail.com", "customer-1.example", "customer-2.example"];
  await Promise.all(Array.from({ length: 120 }, (_, i) => send(world, `user${i}@${domains[i % 3]}`)));
  await Promise.all(Array.from({ length: 31 }, (_, i) => send(world, `user${i}@icloud.com`)));
  await until("all deliveries", () => gmail.smtp.transactions.length === 120 && icloud.transactions.length === 31);
  assert.deepEqual({ mostOpen: gmail.mostOpen <= 5, refused: gmail.refused }, { mostOpen: true, refused: 0 });
  assert.ok(mostOfOne(gmail.smtp) <= 50);
  assert.ok(mostOfOne(icloud) <= 5, `${mostOfOne(icloud)} messages on one connection`);

  const set = ["receivers", "set", "icloud", "--messages-per-connection", "2", "--connections", "1"];
  assert.equal((await runCli(set, world.env)).code, 0);
  const { limits, overridden } = await shown(world, "icloud");
  assert.deepEqual(limits, {
    connections: 1,
    messages_per_connection: 2,
    messages_per_minute: null,
    pause_seconds: null,
  });
  assert.deepEqual(overridden, ["connections", "messages_per_connection"]);
  assert.equal((await runCli(["receivers", "reset", "icloud"], world.env)).code, 0);
  assert.deepEqual((await shown(world, "icloud")).overridden, []);
});

test("messages a minute stay within the receiver's, and all are delivered", async (t) => {
  const world = await startWorld(t);
  const beganMs: number[] = [];
  const peer = await startPeer(t, world, {
    script: {
      mail() {
        beganMs.push(performance.now());
        return undefined;
      },
    },
  });
  publishAs(world, peer.host, "mx1.mail.yahoo.co.jp", ["yahoo.co.jp"]);
  const sentMs = performance.now();
  await Promise.all(Array.from({ length: 80 }, (_, i) => send(world, `user${i}@yahoo.co.jp`)));
  await until("all deliveries", () => peer.transactions.length === 80);
  for (const [i, ms] of beganMs.entries()) {
    const most = BURST + ((ms - sentMs) / 60_000) * PER_MINUTE;
    assert.ok(i + 1 <= most + 1, `message ${i + 1} began ${Math.round(ms - sentMs)} ms after the first`);
  }
});

test("a limit of messages a connection that no table has is learned from two connections", async (t) => {
  const world = await startWorld(t);
  let refusals = 0;
  const carried = new Map<number, number>();
  const peer = await startPeer(t, world, {
    script: {
      mail(_, { connection }) {
        const messages = (carried.get(connection) ?? 0) + 1;
        carried.set(connection, messages);
        if (messages <= 4) return undefined;
        refusals += 1;
        return { drop: true, raw: "421 4.7.0 Max message per connection reached\r\n" };
      },
    },
  });
  publishAs(world, peer.host, "mx.unlisted.example", ["unlisted.example"]);
  await runCli(["receivers", "set", "unlisted.example", "--connections", "1"], world.env);
  await until("one connection at a time", async () => {
    const { limits } = await shown(world, "unlisted.example");
    return (limits as { connections: number }).connections === 1;
  });
  for (let i = 0; i < 60; i += 20) {
    await Promise.all(Array.from({ length: 20 }, (_, n) => send(world, `user${i + n}@unlisted.example`)));
    await until("deliveries", () => peer.transactions.length === i + 20);
  }
  // The first connections may be several: the limit of one is read within ten seconds.
  assert.ok(refusals <= 2 + 5, `${refusals} refusals of ${carried.size} connections`);
  assert.equal(mostOfOne(peer), 4);
});

test("a reply that asks for a pause stops all mail to the receiver, not to others, until one probe is accepted", async (t) => {
  const world = await startWorld(t, { RETRY_SCHEDULE: "1s" });
  let [isOpen, refusals] = [false, 0];
  const mail = (): string | undefined => {
    if (isOpen) return undefined;
    refusals += 1;
    return "421 4.7.0 [TSS04] Messages from 192.0.2.10 temporarily deferred due to user complaints";
  };
  const yahoo = await startPeer(t, world, { script: { mail } });
  publishAs(world, yahoo.host, "mta5.am0.yahoodns.net", ["yahoo.com", "aol.com"]);
  const other = await startPeer(t, world);
  publishAs(world, other.host, "mx.other.example", ["other.example"]);
  const ids = await Promise.all(
    Array.from({ length: 30 }, (_, i) => send(world, `user${i}@${i % 2 === 0 ? "yahoo.com" : "aol.com"}`)),
  );
  await until("the first refusal", () => refusals > 0);
  await Promise.all(Array.from({ length: 10 }, (_, i) => send(world, `user${i}@other.example`)));
  await until("mail to another receiver", () => other.transactions.length === 10);
  // The schedule of a second, several times over.
  await until("the report", async () => (await shown(world, "yahoo")).state === "paused");
  const paused = await shown(world, "yahoo");
  const leftMs = Date.parse(String(paused.next_probe_at)) - Date.now();
  assert.ok(leftMs > 1.9 * 3_600_000 && leftMs <= 2 * 3_600_000, String(paused.next_probe_at));
  assert.match(String(paused.reply), /TSS04/u);
  // Attempts that had begun by then: the window of a new destination.
  assert.ok(refusals <= 5, `${refusals} refusals`);
  for (const id of ids) assert.equal((await recipientOf(world, id))?.result, "pending");
  isOpen = true;
  await runCli(["destinations", "retry", "yahoo.com"], world.env);
  await until("all messages, after one probe", () => yahoo.transactions.length === 30);
});

test("a block of the sending address fails no recipient, is probed hourly, and is told with where to ask", async (t) => {
  const world = await startWorld(t, { RETRY_SCHEDULE: "1s" });
  let [isOpen, refusals] = [false, 0];
  const mail = (): string | undefined => {
    if (isOpen) return undefined;
    refusals += 1;
    return "550 5.7.1 Unfortunately, messages from [192.0.2.10] weren't sent. Part of their network is on our block list (S3140).";
  };
  const outlook = await startPeer(t, world, { script: { mail } });
  publishAs(world, outlook.host, "outlook-com.olc.protection.outlook.com", ["outlook.com", "hotmail.com"]);
  const tenant = await startPeer(t, world);
  publishAs(world, tenant.host, "tenant.mail.protection.outlook.com", ["tenant.example"]);
  const ids = await Promise.all(Array.from({ length: 20 }, (_, i) => send(world, `user${i}@outlook.com`)));
  await until("the block", async () => (await shown(world, "outlook")).state === "blocked");
  const before = refusals;
  const blocked = await shown(world, "outlook");
  const leftMs = Date.parse(String(blocked.next_probe_at)) - Date.now();
  assert.ok(leftMs > 0.9 * 3_600_000 && leftMs <= 3_600_000, String(blocked.next_probe_at));
  assert.match(String(blocked.delisting_url), /^https:/u);
  assert.match(String(blocked.reply), /S3140/u);
  const findings: { check: string; state: string; detail: string }[] = JSON.parse(
    (await runCli(["doctor", "--json"], world.env)).stdout,
  );
  const finding = findings.find(({ check }) => check === "receivers");
  assert.equal(finding?.state, "problem");
  assert.match(finding?.detail ?? "", /Outlook\.com.* rejects mail since .*S3140.*https:/u);
  const operator = { email: "op@shop.example", password: "a long enough password" };
  await runCli(["users", "create", operator.email, "--operator", "--password-stdin"], world.env, operator.password);
  const page = await (await (await clientOf(world.service.url, operator)).get("/operator/receivers/outlook")).text();
  assert.match(page, /Blocked/u);
  assert.match(page, /role="alert".*S3140.*Request delisting/su);
  await send(world, "ann@tenant.example");
  await until("mail to Microsoft 365, which is another receiver", () => tenant.transactions.length === 1);
  const recipients = await Promise.all(ids.map((id) => recipientOf(world, id)));
  for (const recipient of recipients) assert.equal(recipient?.result, "pending");
  assert.ok(recipients.some((recipient) => recipient?.reason === "sending_address_blocked"));
  assert.equal(refusals, before, "no attempt meanwhile");
  assert.ok(refusals <= 9, `${refusals} refusals`);
  isOpen = true;
  await runCli(["destinations", "retry", "outlook.com"], world.env);
  await until("all messages, after one probe", () => outlook.transactions.length === 20);
});
