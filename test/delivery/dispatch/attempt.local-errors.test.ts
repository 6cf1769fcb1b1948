/** Errors of this server in an attempt: they are recorded for the sender, and do not count against a peer. */
import assert from "node:assert/strict";
import type { Socket } from "node:net";
import { PassThrough } from "node:stream";
import { type TestContext, test } from "node:test";
import { createAttempt } from "../../../src/delivery/dispatch/attempt.ts";
import { Preparation } from "../../../src/delivery/dispatch/preparation.ts";
import { NO_RETURN_PATHS } from "../../../src/delivery/dispatch/return-paths.ts";
import { SevenBitContents } from "../../../src/delivery/dispatch/seven-bit-contents.ts";
import { Shutdown } from "../../../src/delivery/dispatch/shutdown.ts";
import type { Connect } from "../../../src/delivery/smtp/connect.ts";
import { SessionPool } from "../../../src/delivery/smtp/pool.ts";
import { HostHealth } from "../../../src/delivery/throttle/host-health.ts";
import type { LoadSignal } from "../../../src/delivery/throttle/load-signal.ts";
import { opportunistic } from "../../../src/delivery/tls/tls-policy.ts";
import { silentLog } from "../../../src/lib/log.ts";
import { SpoolUnavailable } from "../../../src/spool/port/errors.ts";
import type { Spool } from "../../../src/spool/port/spool.ts";
import { contentInParts } from "../../support/content-parts.ts";
import { fakeClock } from "../../support/fake-clock.ts";
import { fakeResolver } from "../../support/fake-resolver.ts";
import { newWork } from "../../support/fake-spool.ts";
import { NO_TEST_SINK } from "../../support/no-test-sink.ts";
import { freeAddress } from "../../support/peers.ts";
import { startScriptedSmtp } from "../../support/scripted-smtp.ts";

const CONTENT = contentInParts([Buffer.from("Subject: Hi\r\n\r\nHi\r\n")]);

interface Parts {
  address?: string;
  smtpPort?: number;
  connect?: Connect;
  mark?: Spool["mark"];
}

/** One attempt at a domain with one address; its signal, its first error, and the health afterwards. */
async function attemptWith(t: TestContext, parts: Parts): Promise<{ signal: LoadSignal; error: string; dead: number }> {
  const { address = "192.0.2.1", smtpPort = 25, connect, mark = async () => "marked" } = parts;
  const clock = fakeClock();
  const pool = new SessionPool({ clock });
  t.after(() => pool.close());
  const health = new HostHealth(clock);
  const resolver = fakeResolver({ "a.example": { MX: ["10 mx.a.example"] }, "mx.a.example": { A: [address] } });
  const spool: Partial<Spool> = { content: async () => CONTENT, mark, leaseIsCurrent: () => true };
  const routing = { resolver, smtpPort, sink: null, random: () => 0 };
  const attempt = createAttempt({
    // An attempt uses nothing else.
    spool: spool as Spool,
    signer: { sign: async () => Buffer.alloc(0) },
    routing,
    sources: { endpointsFor: async (addresses) => addresses.map((one) => ({ address: one })) },

    shutdown: new Shutdown(),
    pool,
    clock,
    health,
    log: silentLog,
    hostname: "mta.test",
    allowPrivate: true,
    returnPaths: NO_RETURN_PATHS,
    sevenBitContents: new SevenBitContents({ clock }),
    ...(connect === undefined ? {} : { connect }),
  });
  const prepared = await new Preparation({ routing, testSink: NO_TEST_SINK, policiesOf: opportunistic, clock }).prepare(
    "a.example",
  );
  const first = await attempt(newWork("msg_a", "a.example"), prepared);
  const { signal } = await attempt(newWork("msg_b", "a.example"), prepared);
  return { signal, error: first.outcomes[0]?.tries[0]?.error ?? "", dead: health.deadCount() };
}

/** A connection that fails with this code. */
const failing =
  (code: string): Connect =>
  () => {
    const socket = new PassThrough();
    setImmediate(() => socket.destroy(Object.assign(new Error(`connect ${code}`), { code })));
    return socket as unknown as Socket;
  };

test("no descriptors, no route, no address, a local firewall: neither the window nor the address is affected", async (t) => {
  for (const code of ["EMFILE", "ENFILE", "ENOBUFS", "ENOMEM", "ENETUNREACH", "EADDRNOTAVAIL", "EACCES", "EPERM"]) {
    const found = await attemptWith(t, { connect: failing(code) });
    assert.deepEqual(found, { signal: "neutral", error: `connect ${code}`, dead: 0 });
  }
});

test("a connection that the peer's side refuses counts against the address", async (t) => {
  for (const code of ["ECONNREFUSED", "ETIMEDOUT", "EHOSTUNREACH"]) {
    const found = await attemptWith(t, { connect: failing(code) });
    assert.deepEqual(found, { signal: "unreachable", error: `connect ${code}`, dead: 1 });
  }
});

test("a spool that cannot store the mark says nothing about the host", async (t) => {
  const peer = await startScriptedSmtp({ host: freeAddress() });
  t.after(() => peer.close());
  const mark = async () => {
    throw new SpoolUnavailable("the disk is full");
  };
  const found = await attemptWith(t, { address: peer.host, smtpPort: peer.port, mark });
  assert.deepEqual(found, { signal: "neutral", error: "held back before the final dot: the disk is full", dead: 0 });
});

test("a limit that the host announces is no load signal", async (t) => {
  const peer = await startScriptedSmtp({ host: freeAddress(), capabilities: ["SIZE 10"] });
  t.after(() => peer.close());
  const { signal } = await attemptWith(t, { address: peer.host, smtpPort: peer.port });
  assert.equal(signal, "neutral");
});
