/** A damaged message in the dashboard. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { edit, fillSpool, openSpool } from "../../support/damaged-spool.ts";
import { installWithOperator } from "../../support/dashboard/installation.ts";
import { clientOf } from "../../support/dashboard/sign-in.ts";

const NOTICE = /The stored message is damaged \(the content is missing\)/;

test("a quarantined message is reported on its page and on the host page, and released by a retry once it is repaired", {
  timeout: 60_000,
}, async (t) => {
  let id = "";
  const installation = await installWithOperator(t, {
    async fill(dataDir) {
      const spool = await openSpool(dataDir);
      [id = ""] = await fillSpool(spool, { count: 1 });
      await spool.close();
      edit(dataDir, (db) => {
        db.exec("CREATE TABLE kept AS SELECT * FROM contents; DELETE FROM contents");
        // As a claim or an attempt records it.
        db.exec("INSERT INTO quarantined VALUES (1, NULL, 'acc_default', 1, 'content', 'the content is missing')");
      });
    },
  });
  const client = await clientOf(installation.url);
  const path = `/messages/${id}`;
  const page = await (await client.get(path)).text();
  assert.match(page, NOTICE);
  assert.match(page, /In quarantine: no attempt is made until the message is released/);
  assert.doesNotMatch(page, /is in progress or queued/);
  await client.post("/operator/host");
  const host = async (): Promise<string> => (await client.get("/operator/host")).text();
  for (let shown = await host(); !shown.includes("1 message is damaged"); shown = await host()) {
    assert.match(shown, /Checks running|disabled|Last checked/);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  const change = (sql: string) => edit(installation.dataDir, (db) => db.exec(sql));
  change(`INSERT INTO events (number, seq, account_id, id, at_ms, type, position, result, attempts)
    SELECT 1000, seq, account_id, 'evt_failed', 1, 'recipient.failed', 0, 'failed', 0 FROM work; DELETE FROM work`);
  const failed = await client.post(`${path}/retry-failed`, { email: "user0@d0.example" });
  assert.match(failed.headers.get("location") ?? "", /done=damaged#recipient-0$/);
  change(`DELETE FROM events WHERE number = 1000; INSERT INTO work (seq, position, account_id, domain, due_ms, attempts)
    SELECT seq, position, account_id, domain, 1, 0 FROM recipients`);
  const tryNow = () => client.post(`${path}/try-now`, { email: "user0@d0.example" });
  assert.match((await tryNow()).headers.get("location") ?? "", /done=damaged#recipient-0$/);
  edit(installation.dataDir, (db) => db.exec("INSERT INTO contents SELECT * FROM kept; DROP TABLE kept"));
  assert.match((await tryNow()).headers.get("location") ?? "", /done=tried#recipient-0$/);
  assert.doesNotMatch(await (await client.get(path)).text(), NOTICE);
});
