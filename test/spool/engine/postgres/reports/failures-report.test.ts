/** Failures are counted once each, in the windows of many days, whatever became of a recipient before. */
import assert from "node:assert/strict";
import { it } from "node:test";
import { Database } from "../../../../../src/spool/engine/postgres/connection/database.ts";
import { reportFailures } from "../../../../../src/spool/engine/postgres/reports/failures-report.ts";
import { ReportQueue } from "../../../../../src/spool/engine/postgres/reports/report-queue.ts";
import { freshDatabase } from "../../../../support/postgres/fresh-database.ts";
import { missingPostgresOrTime } from "../../../../support/postgres/installation.ts";
import { fillLargeMail } from "../../../../support/postgres/large-mail.ts";

const NOW_MS = Date.UTC(2026, 2, 14, 9);

it("counts the recipients that are failed now, by domain", { skip: missingPostgresOrTime() }, async (t) => {
  const database = new Database({ connectionString: (await freshDatabase(t)).url });
  t.after(() => database.close());
  const known = await fillLargeMail(database, { messages: 4000, days: 40, nowMs: NOW_MS });
  const own = known.filter(({ accountId }) => accountId === "acc_default").flatMap(({ recipients }) => recipients);
  const failed = own.filter(({ result }) => result === "failed");
  const queue = new ReportQueue(database);
  const filter = { accountId: "acc_default", sinceMs: 0, untilMs: 2 * NOW_MS, limit: 1000 };
  const report = await queue.run("acc_default", (read) => reportFailures(read, filter, NOW_MS));
  assert.ok(failed.length > 100);
  assert.deepEqual([report.recipients, report.isPartial], [failed.length, false]);
  const counted = Object.fromEntries(report.domains.map(({ domain, recipients }) => [domain, recipients]));
  for (const [domain, recipients] of Object.entries(counted)) {
    assert.equal(failed.filter(({ email }) => email.toLowerCase().endsWith(`@${domain}`)).length, recipients, domain);
  }
  const of = (name: string) => failed.filter(({ category }) => category === name).length;
  const categories = report.reasons.map(({ category, recipients }) => [category, recipients]);
  assert.deepEqual(Object.fromEntries(categories), { reputation: of("reputation"), network: of("network") });
});
