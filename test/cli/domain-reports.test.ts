/** `domains reports`: what receivers report about a domain, on the command line. */
import assert from "node:assert/strict";
import { it, type TestContext } from "node:test";
import { WEEK_MS } from "../../src/lib/week.ts";
import { openSqliteSpool } from "../../src/spool/engine/sqlite/sqlite-spool.ts";
import type { ReportEffect } from "../../src/spool/port/sender-reports.ts";
import { runCli } from "../support/run-cli.ts";
import { dmarcEffect, MONDAY_MS, REPORTED_AT_MS, SOURCES, source, tlsEffect } from "../support/sender-reports.ts";
import { tempDir } from "../support/temp-dir.ts";

async function installation(t: TestContext, effects: ReportEffect[]) {
  const dir = tempDir(t);
  const env = { DATA_DIR: `${dir}/data`, CERTS_DIR: `${dir}/certs`, DNS_SERVERS: "127.0.0.1:1" };
  assert.equal((await runCli(["domains", "add", "shop.example"], env)).code, 0);
  const onFatal = (error: Error): void => {
    throw error;
  };
  const spool = await openSqliteSpool({ dataDir: env.DATA_DIR, role: "client", onFatal });
  for (const effect of effects) await spool.storeSenderReport(effect, REPORTED_AT_MS);
  await spool.close();
  return (...args: string[]) => runCli(["domains", "reports", ...args], env);
}

const FAILURES: [string, string, number][] = [["certificate-expired", "mx1.shop.example", 3]];

it("prints the newest week, or the week of a day", async (t) => {
  const later = dmarcEffect([source()], { org: "other.example", beginMs: MONDAY_MS + WEEK_MS });
  const reports = await installation(t, [dmarcEffect(SOURCES), tlsEffect(FAILURES), later]);
  assert.match(
    (await reports("shop.example")).stdout,
    /\n\nReports on shop\.example in the week of 2026-03-09 \(UTC\)/,
  );
  const { code, stdout } = await reports("shop.example", "--week", "2026-03-08");
  assert.equal(code, 0);
  assert.equal(
    stdout,
    `No answer: the domain has no verified DMARC record. 92.3 % of 5,423 messages passed DMARC since 2026-03-02.

Reports on shop.example in the week of 2026-03-02 (UTC), as receivers state them:

Of 415 messages that failed DMARC at mail.example, 3 were ours; the others came from 203.0.113.7.

ADDRESS      MESSAGES  FAILED  REJECTED  SPAM  REPORTED BY   OURS
203.0.113.7       412     412       400    12  mail.example  no
192.0.2.1        5003       3         0     0  mail.example  yes: an address of this service
2001:db8::1         7       0         0     0  mail.example  yes: signed with a key of this domain, and passed on by another host

3 of 13 sessions of mail.example failed.

CAUSE                POLICY  HOST              SESSIONS  REPORTED BY
certificate-expired  sts     mx1.shop.example         3  mail.example
`,
  );
});

it("prints JSON in snake case", async (t) => {
  const reports = await installation(t, [dmarcEffect([source({ messages: 2 })]), tlsEffect(FAILURES)]);
  const totals = { reports: 1, messages: 2, failed: 2, failed_ours: 0 };
  assert.deepEqual(JSON.parse((await reports("shop.example", "--json")).stdout), {
    domain: "shop.example",
    dmarc: {
      answer: "no_record",
      detail: "No answer: the domain has no verified DMARC record. 0 % of 2 messages passed DMARC since 2026-03-02.",
      policy: null,
      next_policy: null,
      since: "2026-03-02",
      messages: 2,
      failed: 2,
      sources: [
        {
          ip: "203.0.113.7",
          ours: "no",
          messages: 2,
          failed: 2,
          dkim_passed: 0,
          spf_passed: 0,
          last_seen: "2026-03-02",
        },
      ],
    },
    week: "2026-03-02",
    receivers: [{ org: "mail.example", ...totals }],
    sources: [
      {
        org: "mail.example",
        ip: "203.0.113.7",
        ours: "no",
        messages: 2,
        failed: 2,
        quarantined: 0,
        rejected: 0,
        dkim_passed: 0,
        spf_passed: 0,
        header_from: "shop.example",
      },
    ],
    tls_senders: [{ org: "mail.example", reports: 1, succeeded: 10, failed: 3 }],
    tls_failures: [
      {
        org: "mail.example",
        policy_type: "sts",
        result_type: "certificate-expired",
        mx: "mx1.shop.example",
        sessions: 3,
      },
    ],
    weeks: [{ week: "2026-03-02", dmarc: totals, tls: { reports: 1, succeeded: 10, failed: 3 } }],
    not_stored: { total: 0, reasons: {}, newest: [] },
  });
});

it("says which weeks have reports, and refuses other domains and days", async (t) => {
  const reports = await installation(t, [dmarcEffect()]);
  assert.equal(
    (await reports("shop.example", "--week", "2026-01-01")).stdout,
    "No answer: the domain has no verified DMARC record. 0 % of 1 message passed DMARC since 2026-03-02.\n\nNo reports on shop.example in the week of 2025-12-29. There are reports of the weeks of 2026-03-02.\n",
  );
  assert.deepEqual(await reports("other.example"), {
    code: 1,
    stdout: "",
    stderr: "postrider: the account default has no domain other.example\n",
  });
  const wrong = await reports("shop.example", "--week", "monday");
  assert.deepEqual([wrong.code, wrong.stderr], [2, "postrider: --week 'monday' is not a day such as 2026-03-02\n"]);
});
