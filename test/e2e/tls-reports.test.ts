/** TLS reports through the whole service: a session is counted, and the report on a day that has ended arrives, once. */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { it } from "node:test";
import { setTimeout } from "node:timers/promises";
import { DAY_MS } from "../../src/lib/units.ts";
import { readSenderReport } from "../../src/message/reports/sender-report.ts";
import { openSqliteSpool } from "../../src/spool/engine/sqlite/sqlite-spool.ts";
import { sendToOne } from "../support/api-client.ts";
import { startSecondService } from "../support/second-service.ts";
import { RECIPIENT_DOMAIN, sendBody, startWorld } from "../support/world.ts";

const onFatal = (error: Error): void => {
  throw error;
};

it("counts the sessions with a domain, and reports on the day before to a domain that asks", async (t) => {
  const world = await startWorld(t, { TLS_REPORTS_FROM: "tls-reports@shop.example" });
  const { sink, zone, service, env } = world;
  const { result } = await sendToOne({ url: service.url, key: world.key }, sendBody());
  assert.equal(result, "delivered");
  await service.stop();

  const spool = await openSqliteSpool({ dataDir: env.DATA_DIR ?? "", role: "client", onFatal });
  const today = Math.floor(Date.now() / DAY_MS);
  const [counted] = await spool.tlsDays(today + 1, null, 10);
  assert.equal(counted?.domain, RECIPIENT_DOMAIN);
  const rows = await spool.tlsSessions(counted ?? assert.fail());
  assert.deepEqual(
    rows.map(({ policyType, resultType, sessions }) => [policyType, resultType, sessions]),
    [["no-policy-found", "", 1]],
  );
  await spool.removeTlsSessions(counted);
  await spool.addTlsSessions(rows.map((row) => ({ ...row, day: today - 2, sessions: 41 })));
  await spool.close();

  zone.set(`_smtp._tls.${RECIPIENT_DOMAIN}`, "TXT", [`v=TLSRPTv1; rua=mailto:delivered+tls@${RECIPIENT_DOMAIN}`]);
  const second = await startSecondService(t, env);
  const arrived = () => sink.entries.filter(({ subject }) => subject?.startsWith("Report Domain:"));
  for (let looks = 0; looks < 400 && arrived().length === 0; looks += 1) await setTimeout(50);
  const [entry] = arrived();
  assert.deepEqual([entry?.dkim.result, entry?.mail_from], ["pass", "tls-reports@shop.example"]);
  const raw = await readFile(join(env.DATA_DIR ?? "", "..", "sink", entry?.file ?? ""));
  const report = await readSenderReport(raw);
  assert.deepEqual(report.type === "tls" && [report.report.domain, report.report.succeeded], [RECIPIENT_DOMAIN, 41]);
  await second.stop();
  const after = await openSqliteSpool({ dataDir: env.DATA_DIR ?? "", role: "client", onFatal });
  // The session of the report itself is not counted.
  assert.deepEqual(await after.tlsDays(today + 1, null, 10), []);
  await after.close();
  assert.equal(arrived().length, 1);
});
