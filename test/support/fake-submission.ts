/** The listener of SMTP submission alone, on a clock that only the test advances. Each valid message is accepted as msg_1. */
import type { TestContext } from "node:test";
import { AddressLimiter } from "../../src/lib/address-limiter.ts";
import { silentLog } from "../../src/lib/log.ts";
import { unlimitedMemory } from "../../src/lib/memory-guard.ts";
import { newApiKey } from "../../src/security/api-key-format.ts";
import { MessageMemory } from "../../src/smtp-server/message-memory.ts";
import { FULL_ACCESS } from "../../src/spool/port/api-keys.ts";
import { listenForSubmission, type SubmissionOptions } from "../../src/submission/listener.ts";
import { type FakeClock, fakeClock } from "./fake-clock.ts";
import { tempDir } from "./temp-dir.ts";

export interface FakeSubmission {
  port: number;
  clock: FakeClock;
  /** The only valid one. */
  key: string;
}

/** Starts listening, with AUTH in plaintext; it stops with the test. */
export async function startFakeSubmission(
  t: TestContext,
  options: Partial<SubmissionOptions> = {},
): Promise<FakeSubmission> {
  const clock = fakeClock(Date.now());
  const { key, hash } = newApiKey();
  const record = { id: "key_1", accountId: "acc_1", name: "", lastFour: "", createdAtMs: 0, lastUsedAtMs: null };
  const known = { ...record, revokedAtMs: null, messagesSent: 0, suspended: false, test: false, ...FULL_ACCESS };
  const listener = await listenForSubmission({
    host: "127.0.0.1",
    port: 0,
    tlsPort: null,
    certsDir: tempDir(t),
    allowPlaintext: true,
    hostname: "mta.test",
    acceptMessage: { accept: async () => ({ type: "accepted", id: "msg_1" }), rejectionOf: () => null },
    registry: { activeKey: async (wanted) => (wanted.equals(hash) ? known : null), touchKey: () => {} },
    backpressure: { rejects: () => false },
    memory: unlimitedMemory,
    messages: new MessageMemory(clock),
    addresses: new AddressLimiter({ rate: { perSecond: 0, burst: 1 }, trustedProxies: 0, clock }),
    limits: { recipientsMax: 50, messageBytesMax: 1_000_000 },
    clock,
    log: silentLog,
    onReply: () => {},
    ...options,
  });
  t.after(() => listener.close());
  return { port: listener.port ?? 0, clock, key };
}
