/** What is signed before it is stored: by a thread that has nothing else to do, and never before sends that pile up. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { startDelivery } from "../../../src/app/wiring/delivery.ts";
import { silentLog } from "../../../src/lib/log.ts";
import { Vault } from "../../../src/security/vault.ts";
import { openSqliteSpool } from "../../../src/spool/sqlite/sqlite-spool.ts";
import { fakeClock } from "../../support/fake-clock.ts";
import { newMessage } from "../../support/messages.ts";
import { tempDir } from "../../support/temp-dir.ts";

test("few signatures ahead at rest, more in accept-priority mode, none while many sends wait", async (t) => {
  const onFatal = assert.fail;
  const spool = await openSqliteSpool({ dataDir: tempDir(t), role: "service", onFatal });
  const unasked = async () => assert.fail("nobody is to be found");
  let sendsWaiting = 0;
  const asked: number[] = [];
  const delivery = await startDelivery(
    {
      ...{ spool, onFatal, clock: fakeClock(), log: silentLog, hostname: "mta.example", sendingIps: [] },
      ...{ resolver: { mx: unasked, addresses: unasked, txt: unasked, reverse: unasked } as never, sink: null },
      ...{ secureResolver: { trusted: false } as never, vault: new Vault(Buffer.alloc(32)), smtpPort: 25 },
      ...{ allowPrivate: false, retry: { retrySchedule: [1000], unknownPolicy: "hold" as const } },
      sendsWaiting: () => sendsWaiting,
    },
    {
      random: Math.random,
      signer: { sign: unasked, signAhead: (_, most) => void asked.push(most), close: async () => {} },
    },
  );
  t.after(async () => {
    await delivery.stop(0);
    await spool.close();
  });
  const most = [0, 20, 50, 51, 500, 20].map((waiting) => {
    sendsWaiting = waiting;
    delivery.storing(newMessage());
    return asked.pop() ?? "none";
  });
  const [atRest, inBurst] = [most[0], most[1]];
  assert.ok(Number(atRest) < Number(inBurst), `${atRest} at rest, ${inBurst} in a burst`);
  assert.deepEqual(most, [atRest, inBurst, inBurst, "none", "none", inBurst]);
});
