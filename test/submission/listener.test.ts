/** TLS of SMTP submission, and what a client may take of the process. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { setImmediate } from "node:timers/promises";
import { connect as connectTls } from "node:tls";
import { AddressLimiter } from "../../src/lib/address-limiter.ts";
import { silentLog } from "../../src/lib/log.ts";
import { unlimitedMemory } from "../../src/lib/memory-guard.ts";
import { MessageMemory } from "../../src/smtp-server/message-memory.ts";
import { FULL_ACCESS } from "../../src/spool/port/api-keys.ts";
import { listenForSubmission, type SubmissionListener, type SubmissionOptions } from "../../src/submission/listener.ts";
import type { SubmissionReply } from "../../src/submission/protocol.ts";
import { type FakeClock, fakeClock } from "../support/fake-clock.ts";
import { selfSigned } from "../support/self-signed.ts";
import { SubmissionClient } from "../support/submission-client.ts";
import { tempDir } from "../support/temp-dir.ts";

/** More than a port has sockets. */
const SILENT = 2200;
const KEY = `svc_live_${"k".repeat(43)}`;

interface Submission {
  listener: SubmissionListener;
  clock: FakeClock;
  replies: SubmissionReply[];
  port: number;
}

async function listening(
  t: TestContext,
  options: Partial<SubmissionOptions> = {},
  files = ["smtp"],
): Promise<Submission> {
  const certsDir = tempDir(t);
  for (const name of files) {
    const { key, cert } = selfSigned("mta.shop.example");
    mkdirSync(certsDir, { recursive: true });
    writeFileSync(join(certsDir, `${name}.key`), key);
    writeFileSync(join(certsDir, `${name}.crt`), cert);
  }
  const clock = fakeClock(Date.now());
  const replies: SubmissionReply[] = [];
  const key = {
    id: "key_1",
    accountId: "acc_1",
    name: "",
    lastFour: "",
    createdAtMs: 0,
    lastUsedAtMs: null,
    revokedAtMs: null,
    messagesSent: 0,
    suspended: false,
    test: false,
    ...FULL_ACCESS,
  };
  const listener = await listenForSubmission({
    host: "127.0.0.1",
    port: 0,
    tlsPort: null,
    certsDir,
    allowPlaintext: false,
    hostname: "mta.shop.example",
    acceptMessage: { accept: async () => ({ type: "accepted", id: "msg_1" }), rejectionOf: () => null },
    registry: { activeKey: async () => key, touchKey: () => {} },
    backpressure: { rejects: () => false },
    memory: unlimitedMemory,
    messages: new MessageMemory(clock),
    addresses: new AddressLimiter({ rate: { perSecond: 1, burst: 3 }, trustedProxies: 0, clock }),
    limits: { recipientsMax: 50, messageBytesMax: 100_000 },
    clock,
    log: silentLog,
    onReply: (reply: SubmissionReply) => void replies.push(reply),
    ...options,
  });
  t.after(() => listener.close());
  return { listener, clock, replies, port: listener.port ?? listener.tlsPort ?? 0 };
}

describe("submission over TLS", () => {
  it("offers AUTH only after STARTTLS, and refuses it before", async (t) => {
    const { port } = await listening(t);
    const client = await SubmissionClient.open(t, port);
    const before = await client.command("EHLO client.example");
    assert.match(before, /^250[- ]STARTTLS\r?$/m);
    assert.doesNotMatch(before, /AUTH|CHUNKING/);
    assert.match(await client.command("AUTH LOGIN"), /^538 /);
    await client.startTls();
    assert.match(await client.command("EHLO client.example"), /^250[- ]AUTH PLAIN LOGIN\r?$/m);
    assert.match(await client.authenticate(KEY), /^235 /);
  });

  it("serves TLS from the first octet", async (t) => {
    const { port } = await listening(t, { port: null, tlsPort: 0 });
    const socket = connectTls({ host: "127.0.0.1", port, rejectUnauthorized: false });
    t.after(() => socket.destroy());
    const [greeting] = await once(socket, "data");
    assert.match(String(greeting), /^220 mta\.shop\.example ESMTP Postrider/);
    socket.write("EHLO client.example\r\n");
    const [reply] = await once(socket, "data");
    assert.match(String(reply), /AUTH PLAIN LOGIN/);
    assert.doesNotMatch(String(reply), /STARTTLS/);
  });

  it("uses the certificate of HTTP if there is no other", async (t) => {
    const { port } = await listening(t, {}, ["http"]);
    const client = await SubmissionClient.open(t, port);
    await client.startTls();
    assert.match(await client.authenticate(KEY), /^235 /);
  });

  it("waits for a certificate, and listens once there is one that can be used", async (t) => {
    const certsDir = tempDir(t);
    const { listener, clock } = await listening(t, { tlsPort: 0, allowPlaintext: true, certsDir }, []);
    const ports = (): (number | null)[] => [listener.port, listener.tlsPort];
    await clock.advance(10_000);
    const { key, cert } = selfSigned("mta.shop.example");
    writeFileSync(join(certsDir, "smtp.key"), key);
    writeFileSync(join(certsDir, "smtp.crt"), cert.slice(0, 100));
    await clock.advance(10_000);
    assert.deepEqual(ports(), [null, null]);
    writeFileSync(join(certsDir, "smtp.crt"), cert);
    await clock.advance(10_000);
    while (listener.port === null) await setImmediate();
    const client = await SubmissionClient.open(t, listener.port);
    await client.startTls();
    assert.match(await client.authenticate(KEY), /^235 /);
    assert.notEqual(listener.tlsPort, null);
  });

  it("offers STARTTLS once there is a certificate, where it began without", async (t) => {
    const certsDir = tempDir(t);
    const { port, clock } = await listening(t, { allowPlaintext: true, certsDir }, []);
    await clock.advance(10_000);
    const before = await SubmissionClient.open(t, port);
    assert.doesNotMatch(await before.command("EHLO client.example"), /STARTTLS/);
    const { key, cert } = selfSigned("mta.shop.example");
    writeFileSync(join(certsDir, "smtp.key"), key);
    writeFileSync(join(certsDir, "smtp.crt"), cert);
    await clock.advance(10_000);
    const client = await SubmissionClient.open(t, port);
    await client.startTls();
    assert.match(await client.authenticate(KEY), /^235 /);
  });

  it("needs no certificate for clients on loopback, where a setting allows that", async (t) => {
    assert.equal((await listening(t, {}, [])).listener.port, null);
    const { port } = await listening(t, { allowPlaintext: true }, []);
    const client = await SubmissionClient.open(t, port);
    assert.doesNotMatch(await client.command("EHLO client.example"), /STARTTLS/);
    assert.match(await client.authenticate(KEY), /^235 /);
  });
});

describe("a submission client", () => {
  it("is closed after a minute without a valid key", async (t) => {
    const { port, clock } = await listening(t, { allowPlaintext: true });
    const silent = await SubmissionClient.open(t, port);
    const known = await SubmissionClient.open(t, port);
    await known.authenticate(KEY);
    await clock.advance(60_000);
    assert.match(await silent.reply(), /^421 4\.4\.2 /);
    assert.equal(await silent.reply(), "");
    assert.match(await known.command("NOOP"), /^250/);
  });

  it("is refused after too many attempts without a valid key from its address", async (t) => {
    const { port, replies } = await listening(t, {
      allowPlaintext: true,
      registry: { activeKey: async () => null, touchKey: () => {} },
    });
    for (const _ of [1, 2, 3]) {
      const client = await SubmissionClient.open(t, port);
      await client.authenticate(KEY);
    }
    const last = await SubmissionClient.open(t, port);
    assert.match(await last.authenticate(KEY), /^421 4\.7\.0 /);
    await last.ended();
    assert.ok(
      replies.some(({ code }) => code === 421),
      JSON.stringify(replies),
    );
  });

  it("ends alone when its handshake fails, and when it resets the connection within a message", async (t) => {
    const { port } = await listening(t, { allowPlaintext: true });
    const handshaking = await SubmissionClient.open(t, port);
    assert.match(await handshaking.command("STARTTLS"), /^220/);
    handshaking.write("EHLO is no handshake\r\n");
    assert.equal(await handshaking.reply(), "");
    const resetting = await SubmissionClient.open(t, port);
    await resetting.authenticate(KEY);
    await resetting.command("MAIL FROM:<a@shop.example>");
    resetting.reset();
    const another = await SubmissionClient.open(t, port);
    assert.match(await another.authenticate(KEY), /^235 /);
  });

  it("that begins no handshake keeps no other from the port that begins with one", async (t) => {
    const { port } = await listening(t, { port: null, tlsPort: 0 });
    const silent: Socket[] = [];
    t.after(() => {
      for (const socket of silent) socket.destroy();
    });
    while (silent.length < SILENT) {
      const wave = Array.from({ length: 200 }, () => connect({ host: "127.0.0.1", port }));
      for (const socket of wave) socket.on("error", () => {});
      silent.push(...wave);
      await Promise.all(wave.map((socket) => Promise.race([once(socket, "connect"), once(socket, "close")])));
    }
    const socket = connectTls({ host: "127.0.0.1", port, rejectUnauthorized: false });
    t.after(() => socket.destroy());
    const [greeting] = await once(socket, "data");
    assert.match(String(greeting), /^220 /);
  });

  it("gets 552 for a message that is too large, announced or not", async (t) => {
    const { port } = await listening(t, { allowPlaintext: true });
    const client = await SubmissionClient.open(t, port);
    await client.authenticate(KEY);
    assert.match(await client.command("MAIL FROM:<a@shop.example> SIZE=100001"), /^552 /);
    const content = `From: a@shop.example\r\n\r\n${"x\r\n".repeat(40_000)}`;
    assert.match(await client.send({ to: ["b@customers.example"], content }), /^552 /);
    assert.match(await client.send({ to: ["b@customers.example"], content: content.slice(0, 3000) }), /^250 2\.0\.0 /);
  });
});
