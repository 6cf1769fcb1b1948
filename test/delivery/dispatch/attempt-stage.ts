/** An attempt with a spool and a signer that do nothing, with real DNS, real SMTP, and the clock of the test. */

import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { type AttemptResult, createAttempt } from "../../../src/delivery/dispatch/attempt.ts";
import { Preparation } from "../../../src/delivery/dispatch/preparation.ts";
import { NO_RETURN_PATHS, type ReturnPaths } from "../../../src/delivery/dispatch/return-paths.ts";
import { SevenBitContents } from "../../../src/delivery/dispatch/seven-bit-contents.ts";
import { Shutdown } from "../../../src/delivery/dispatch/shutdown.ts";
import { SessionPool } from "../../../src/delivery/smtp/pool.ts";
import { HostHealth } from "../../../src/delivery/throttle/host-health.ts";
import { opportunistic } from "../../../src/delivery/tls/tls-policy.ts";
import { createResolver } from "../../../src/dns/stub-resolver.ts";
import type { Clock } from "../../../src/lib/clock.ts";
import { silentLog } from "../../../src/lib/log.ts";
import { unsignedOf } from "../../../src/message/content.ts";
import type { Outcome } from "../../../src/message/result/outcome.ts";
import type { DeliveryJob, StoredContent } from "../../../src/spool/port/mail.ts";
import type { Spool } from "../../../src/spool/port/spool.ts";
import { startZoneServer } from "../../../src/testing/zone-server.ts";
import { contentInParts } from "../../support/content-parts.ts";
import { newWork } from "../../support/fake-spool.ts";
import { NO_TEST_SINK } from "../../support/no-test-sink.ts";
import { freeAddress } from "../../support/peers.ts";
import { type ScriptedSmtp, type ScriptedSmtpOptions, startScriptedSmtp } from "../../support/scripted-smtp.ts";

export const DOMAIN = "customers.example";

export interface AttemptStage {
  /** Starts a peer as the domain's next exchanger, worse than those before it. */
  exchanger(options?: Omit<ScriptedSmtpOptions, "host" | "port">): Promise<ScriptedSmtp>;
  /** Stops the attempts that are under way. */
  shutdown: Shutdown;
  /** One attempt for user0, user1 … at the domain. */
  run(recipientCount?: number, parts?: Partial<DeliveryJob>): Promise<AttemptResult>;
  /** Its outcomes, of which none may be missing. */
  attempt(recipientCount?: number, parts?: Partial<DeliveryJob>): Promise<Outcome[]>;
}

export interface StageOptions {
  clock: Clock;
  content?: Buffer | StoredContent;
  mark?: Spool["mark"];
  leaseIsCurrent?: Spool["leaseIsCurrent"];
  returnPaths?: ReturnPaths;
  sevenBitContents?: SevenBitContents;
  /** Whether attempts have little time for each step; false if absent. */
  isBrief?: boolean;
}

export async function setAttemptStage(
  t: TestContext,
  { clock, content = Buffer.from("Subject: Hi\r\n\r\nHi\r\n"), ...options }: StageOptions,
): Promise<AttemptStage> {
  const { mark = async () => "marked", leaseIsCurrent = () => true, returnPaths = NO_RETURN_PATHS } = options;
  const { sevenBitContents = new SevenBitContents({ clock }) } = options;
  const { isBrief = false } = options;
  const zone = await startZoneServer();
  const pool = new SessionPool({ clock });
  const first = await startScriptedSmtp({ host: freeAddress() });
  t.after(async () => {
    await Promise.all([pool.close(), first.close(), zone.close()]);
  });
  const smtpPort = first.port;
  const resolver = createResolver({ servers: [zone.address] });
  const shutdown = new Shutdown();
  const stored = Buffer.isBuffer(content) ? contentInParts([content]) : content;
  const spool: Partial<Spool> = { content: async () => stored, mark, leaseIsCurrent };
  const routing = { resolver, smtpPort, sink: null, random: () => 0 };
  const preparation = new Preparation({ routing, testSink: NO_TEST_SINK, policiesOf: opportunistic, clock });
  const attempt = createAttempt({
    // An attempt uses nothing else.
    spool: spool as Spool,
    signer: {
      // As the signing thread, it fails for a body with a bare CR or LF.
      async sign({ input }) {
        unsignedOf(input);
        return Buffer.alloc(0);
      },
    },
    pool,
    clock,
    log: silentLog,
    routing,
    health: new HostHealth(clock),
    sources: { endpointsFor: async (addresses) => addresses.map((address) => ({ address })) },
    hostname: "mta.test",
    allowPrivate: true,
    shutdown,
    returnPaths,
    sevenBitContents,
  });
  const run = async (recipientCount: number, parts: Partial<DeliveryJob>): Promise<AttemptResult> => {
    const recipients = Array.from({ length: recipientCount }, (_, position) => {
      return { position, email: `user${position}@${DOMAIN}`, attempts: 0, reason: null, category: null, smtp: null };
    });
    const sizeBytes = stored.laterParts === 0 ? stored.first.length : 100;
    const job = newWork("msg_a", DOMAIN, { sizeBytes, recipients, ...parts });
    return attempt(job, await preparation.prepare(DOMAIN), { isBrief });
  };
  const names: string[] = [];
  return {
    shutdown,
    async exchanger(options = {}) {
      const peer = await startScriptedSmtp({ ...options, host: freeAddress(), port: smtpPort });
      t.after(() => peer.close());
      names.push(`mx${names.length + 1}.${DOMAIN}`);
      zone.set(names.at(-1) ?? "", "A", [peer.host]);
      zone.set(
        DOMAIN,
        "MX",
        names.map((name, index) => `${index + 1} ${name}`),
      );
      return peer;
    },
    run: (recipientCount = 1, parts = {}) => run(recipientCount, parts),
    async attempt(recipientCount = 1, parts = {}) {
      const { outcomes } = await run(recipientCount, parts);
      return outcomes.map((outcome) => outcome ?? assert.fail("a recipient without an outcome"));
    },
  };
}
