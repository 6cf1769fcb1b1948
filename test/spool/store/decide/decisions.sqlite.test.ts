/** Decisions about recipients of damaged messages, and by another process. */
import assert from "node:assert/strict";
import { it } from "node:test";
import { openSqliteSpool } from "../../../../src/spool/engine/sqlite/sqlite-spool.ts";
import { claimMessage, MARK, settleMessage } from "../../../support/attempts.ts";
import { edit } from "../../../support/damaged-spool.ts";
import { newMessage, recipientsAt, settlement } from "../../../support/messages.ts";
import { tempDir } from "../../../support/temp-dir.ts";

const onFatal = (error: Error): never => {
  throw error;
};
const DECISION = { accountId: "acc_default", by: "ann@shop.example", nowMs: 2_000_000 };

it("leave out quarantined messages, and count their recipients", async (t) => {
  const dataDir = tempDir(t);
  const spool = await openSqliteSpool({ dataDir, role: "service", onFatal });
  const messages = [newMessage({ recipients: recipientsAt("a.example", 3) }), newMessage()];
  for (const message of messages) await spool.accept(message);
  for (const { id } of messages) await settleMessage(spool, id, 1_000_000, [settlement(0, "unknown")]);
  await spool.close();
  edit(dataDir, (db) => {
    db.prepare("INSERT INTO quarantined VALUES (1, ?, 'acc_default', 1, 'content', 'disk I/O error')").run(
      messages[0]?.id,
    );
  });
  const again = await openSqliteSpool({ dataDir, role: "service", onFatal });
  t.after(() => again.close());
  const recipients = messages.map(({ id: messageId }) => ({ messageId, positions: [0, 1] }));
  const resolved = await again.resolve({ ...DECISION, as: "delivered", recipients });
  assert.deepEqual(resolved, { resolved: 1, unreadable: 2 });
  const cancelled = await again.cancel({ ...DECISION, recipients });
  assert.deepEqual(cancelled, { cancelled: 0, unknown: 0, atDot: 0, unreadable: 2 });
});

it("of another process end an attempt before its final dot, and none is claimed again", async (t) => {
  const dataDir = tempDir(t);
  const service = await openSqliteSpool({ dataDir, role: "service", onFatal });
  t.after(() => service.close());
  const client = await openSqliteSpool({ dataDir, role: "client", onFatal });
  t.after(() => client.close());
  const [attempted, waiting] = [newMessage(), newMessage()];
  await service.accept(attempted);
  const [job] = await claimMessage(service, attempted.id);
  await service.accept(waiting);
  const recipients = [attempted, waiting].map(({ id: messageId }) => ({ messageId, positions: [0] }));
  assert.equal((await client.cancel({ ...DECISION, recipients })).cancelled, 2);
  assert.ok(job);
  const mark = { ...MARK, messageId: attempted.id, positions: [0], lease: job.lease };
  assert.equal(await service.mark(mark), "lease_lost");
  await service.release({ messageId: attempted.id, positions: [0], lease: job.lease });
  const { jobs } = await service.claim({ nowMs: 9_000_000, limit: 10, perDomain: 10, allowance: {} });
  assert.deepEqual(jobs, []);
  assert.equal((await service.report(attempted.id))?.recipients[0]?.reason, "cancelled");
});
