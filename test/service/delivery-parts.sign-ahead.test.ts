/** Signing ahead: one message at rest, more in accept-priority mode, and none while many sends wait. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { silentLog } from "../../src/lib/log.ts";
import { Vault } from "../../src/security/vault.ts";
import { startDelivery } from "../../src/service/delivery-parts.ts";
import { openSqliteSpool } from "../../src/spool/engine/sqlite/sqlite-spool.ts";
import { fakeClock } from "../support/fake-clock.ts";
import { newMessage } from "../support/messages.ts";
import { tempDir } from "../support/temp-dir.ts";

test("few signatures ahead at rest, more in accept-priority mode, none while many sends wait", async (t) => {
  const onFatal = assert.fail;
  const spool = await openSqliteSpool({ dataDir: tempDir(t), role: "service", onFatal });
  const unused = async () => assert.fail("not used in this test");
  const acceptLoad = { waiting: 0 };
  const requested: number[] = [];
  const delivery = await startDelivery(
    {
      spool,
      onFatal,
      clock: fakeClock(),
      log: silentLog,
      hostname: "mta.example",
      sendingIps: [],
      resolver: { mx: unused, addresses: unused, txt: unused, reverse: unused } as never,
      sink: null,
      secureResolver: { trusted: false } as never,
      vault: new Vault(Buffer.alloc(32)),
      smtpPort: 25,
      allowPrivate: false,
      retry: { retrySchedule: [1000], unknownPolicy: "hold" as const },
      suppressAfter: 0,
      acceptLoad,
      destinationLimits: new Map(),
      tlsRules: new Map(),
    },
    {
      random: Math.random,
      signer: { sign: unused, signAhead: (_, pendingMax) => void requested.push(pendingMax), close: async () => {} },
    },
  );
  t.after(async () => {
    await delivery.stop(0);
    await spool.close();
  });
  const limits = [0, 20, 50, 51, 500, 20].map((waiting) => {
    acceptLoad.waiting = waiting;
    delivery.signAhead.prepare(newMessage());
    return requested.pop() ?? "none";
  });
  const [atRest, inPriority] = limits;
  assert.ok(Number(atRest) < Number(inPriority), `${atRest} at rest, ${inPriority} in accept-priority mode`);
  assert.deepEqual(limits, [atRest, inPriority, inPriority, "none", "none", inPriority]);
});
