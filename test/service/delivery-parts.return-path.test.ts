/** A return path from the spool to the wire: to mail hosts that speak SMTP by smtp-server, and to the sink in the service. */
import assert from "node:assert/strict";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { type TestContext, test } from "node:test";
import { SMTPServer, type SMTPServerAddress } from "smtp-server";
import { StoredReturnPaths } from "../../src/delivery/dispatch/return-paths.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { silentLog } from "../../src/lib/log.ts";
import { readFeedback } from "../../src/message/feedback/feedback.ts";
import { readReturnPath, returnPathAddress } from "../../src/message/return-path.ts";
import { testRouteOf } from "../../src/message/test-route.ts";
import { Vault } from "../../src/security/vault.ts";
import { startDelivery } from "../../src/service/delivery-parts.ts";
import { openSqliteSpool } from "../../src/spool/engine/sqlite/sqlite-spool.ts";
import type { NewMessage } from "../../src/spool/port/mail.ts";
import type { SinkBounce } from "../../src/testing/sink/later-bounces.ts";
import { fakeResolver } from "../support/fake-resolver.ts";
import { newMessage } from "../support/messages.ts";
import { freeAddress, until } from "../support/peers.ts";
import { tempDir } from "../support/temp-dir.ts";

const KEY = Buffer.alloc(32, 5);
const DOMAIN = "shop.example";

interface Copy {
  sender: string;
  recipient: string;
  envelopeId: string | null;
  notify: string[];
  original: string | null;
}

interface MailHost {
  address: string;
  port: number;
  copies: Copy[];
  close(): Promise<void>;
}

/** A mail host that accepts everything, on a port that another one may have too. */
async function startMailHost({ offersDsn, port }: { offersDsn: boolean; port: number }): Promise<MailHost> {
  const copies: Copy[] = [];
  const server = new SMTPServer({
    hideDSN: !offersDsn,
    disabledCommands: ["AUTH", "STARTTLS"],
    disableReverseLookup: true,
    logger: false,
    onData(stream, { envelope }, callback) {
      for (const { address, dsn } of envelope.rcptTo) {
        const sender = (envelope.mailFrom as SMTPServerAddress).address;
        const notification = { envelopeId: envelope.dsn?.envid ?? null, notify: dsn?.notify ?? [] };
        copies.push({ sender, recipient: address, ...notification, original: dsn?.orcpt ?? null });
      }
      stream.on("end", callback).resume();
    },
  });
  const address = freeAddress();
  const listener = server.listen(port, address);
  await once(listener, "listening");
  const close = () => new Promise<void>((resolve) => void server.close(resolve));
  return { address, port: (listener.address() as AddressInfo).port, copies, close };
}

interface World {
  withDsn: MailHost;
  withoutDsn: MailHost;
  bounces: SinkBounce[];
  /** Accepts a message, and resolves once none of its recipients is pending. */
  deliver(parts: Partial<NewMessage>): Promise<NewMessage>;
}

/** Delivery with two mail hosts, one for dsn.example and one for plain.example. `active`: whether the return path is. */
async function startWorld(t: TestContext, active: boolean): Promise<World> {
  const onFatal = assert.fail;
  const spool = await openSqliteSpool({ dataDir: tempDir(t), role: "service", onFatal });
  const withDsn = await startMailHost({ offersDsn: true, port: 0 });
  const withoutDsn = await startMailHost({ offersDsn: false, port: withDsn.port });
  const bounces: SinkBounce[] = [];
  const clock = systemClock;
  const store = { returnPath: async () => (active ? DOMAIN : null), signingKey: async () => ({ domain: DOMAIN }) };
  const delivery = await startDelivery(
    {
      spool,
      onFatal,
      clock,
      log: silentLog,
      hostname: "mta.example",
      sendingIps: [],
      sink: null,
      resolver: fakeResolver({
        "dsn.example": { MX: ["10 mx.dsn.example"] },
        "mx.dsn.example": { A: [withDsn.address] },
        "plain.example": { MX: ["10 mx.plain.example"] },
        "mx.plain.example": { A: [withoutDsn.address] },
      }),
      secureResolver: { trusted: false } as never,
      vault: new Vault(Buffer.alloc(32)),
      smtpPort: withDsn.port,
      allowPrivate: true,
      retry: { retrySchedule: [1000], unknownPolicy: "hold" as const },
      suppressAfter: 0,
      acceptLoad: { waiting: 0 },
      destinationLimits: new Map(),
      tlsRules: new Map(),
      returnPaths: new StoredReturnPaths({ store, key: KEY, clock, log: silentLog }),
      onBounce: (bounce) => void bounces.push(bounce),
    },
    {
      random: Math.random,
      signer: { sign: async () => Buffer.alloc(0), signAhead: () => {}, close: async () => {} },
    },
  );
  t.after(async () => {
    await delivery.stop(0);
    await Promise.all([withDsn.close(), withoutDsn.close(), spool.close()]);
  });
  const isSettled = async (id: string) =>
    (await spool.report(id))?.recipients.every(({ result }) => result !== "pending") ?? false;
  return {
    withDsn,
    withoutDsn,
    bounces,
    async deliver(parts) {
      const nowMs = clock.now();
      const message = newMessage({ createdAtMs: nowMs, expiresAtMs: nowMs + 60_000, ...parts });
      assert.equal((await spool.accept(message)).type, "accepted");
      await until("the results", () => isSettled(message.id));
      return message;
    },
  };
}

const RECIPIENTS = ["ann+1@dsn.example", "bob@plain.example", "cid@dsn.example", "dee@plain.example"].map((email) => ({
  email,
  domain: email.split("@")[1] ?? "",
}));

test("each recipient has its own envelope sender, and notifications are asked for where they are offered", async (t) => {
  const { withDsn, withoutDsn, deliver } = await startWorld(t, true);
  const { id } = await deliver({ recipients: RECIPIENTS });
  const senderOf = (position: number) => returnPathAddress({ messageId: id, position, domain: DOMAIN }, KEY);
  const asked = { envelopeId: id, notify: ["FAILURE"] };
  assert.deepEqual(withDsn.copies, [
    { sender: senderOf(0), recipient: "ann+1@dsn.example", ...asked, original: "rfc822;ann+1@dsn.example" },
    { sender: senderOf(2), recipient: "cid@dsn.example", ...asked, original: "rfc822;cid@dsn.example" },
  ]);
  const none = { envelopeId: null, notify: [], original: null };
  assert.deepEqual(withoutDsn.copies, [
    { sender: senderOf(1), recipient: "bob@plain.example", ...none },
    { sender: senderOf(3), recipient: "dee@plain.example", ...none },
  ]);
});

test("without a return path, all recipients have the From address, and no notifications are asked for", async (t) => {
  const { withDsn, withoutDsn, deliver } = await startWorld(t, false);
  await deliver({ recipients: RECIPIENTS });
  const none = { sender: "news@shop.example", envelopeId: null, notify: [], original: null };
  assert.deepEqual(
    [withDsn.copies, withoutDsn.copies],
    [
      [
        { recipient: "ann+1@dsn.example", ...none },
        { recipient: "cid@dsn.example", ...none },
      ],
      [
        { recipient: "bob@plain.example", ...none },
        { recipient: "dee@plain.example", ...none },
      ],
    ],
  );
});

test("a test message to bounce-later@ is delivered, and its bounce comes to the recipient's own address", async (t) => {
  const { bounces, deliver } = await startWorld(t, false);
  const domain = testRouteOf("acc_default");
  const recipients = ["delivered@a.example", "bounce-later@a.example"].map((email) => ({ email, domain }));
  const content = Buffer.from("Message-ID: <m1@shop.example>\r\nSubject: Hello\r\n\r\nHi\r\n");
  const { id } = await deliver({ test: true, recipients, content });
  await until("the bounce", () => bounces.length > 0);
  const [{ envelopeSender, content: bounce } = assert.fail("no bounce")] = bounces;
  assert.deepEqual(readReturnPath(envelopeSender, KEY), { messageId: id, position: 1, domain: DOMAIN });
  const feedback = await readFeedback(bounce);
  assert.ok(feedback.type === "bounced");
  assert.equal(feedback.original.messageId, "<m1@shop.example>");
  assert.deepEqual(
    feedback.bounces.map(({ recipient, original, status, permanent }) => [recipient, original, status, permanent]),
    [["bounce-later@a.example", "bounce-later@a.example", "5.1.1", true]],
  );
  assert.equal(bounces.length, 1);
});
