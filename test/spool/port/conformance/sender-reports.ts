/** Reports of receivers about the domains of an account. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { WEEK_MS } from "../../../../src/lib/week.ts";
import { WEEK_ROWS_MAX } from "../../../../src/spool/port/sender-reports.ts";
import { dmarcEffect, MONDAY_MS, REPORTED_AT_MS, SOURCES, source, tlsEffect } from "../../../support/sender-reports.ts";
import { applyRetention, DAY_MS, type OpenSpool } from "./suite.ts";

const [ACCOUNT, DOMAIN] = ["acc_default", "shop.example"];
const AT_MS = REPORTED_AT_MS;

export function senderReportsConformance(name: string, open: OpenSpool): void {
  describe(`${name}: reports of receivers`, () => {
    it("sums up the DMARC reports of a week by receiver and source, also after a crash", async (t) => {
      const first = await open(t);
      assert.equal(await first.spool.storeSenderReport(dmarcEffect(SOURCES), AT_MS), "stored");
      const omitted = { messages: 20, failed: 5 };
      const second = dmarcEffect([source({ messages: 8 })], { reportId: "r-2", beginMs: MONDAY_MS + 6 * DAY_MS });
      Object.assign(second.report, { omitted });
      assert.equal(await first.spool.storeSenderReport(second, AT_MS), "stored");
      await first.spool.storeSenderReport(dmarcEffect([source()], { org: "other.example" }), AT_MS);
      const { spool } = await first.reopen();
      const { receivers, sources, tlsSenders, tlsFailures } = await spool.weekReports(ACCOUNT, DOMAIN, MONDAY_MS);
      assert.deepEqual(receivers, [
        { org: "mail.example", reports: 2, messages: 5450, failed: 428, failedOurs: 3 },
        { org: "other.example", reports: 1, messages: 1, failed: 1, failedOurs: 0 },
      ]);
      const of = { org: "mail.example", dkimPassed: 0, spfPassed: 0, quarantined: 0, rejected: 0 };
      assert.deepEqual(sources, [
        {
          ...of,
          ip: "203.0.113.7",
          ours: "no",
          messages: 420,
          failed: 420,
          quarantined: 12,
          rejected: 400,
          headerFrom: "",
        },
        {
          ...of,
          ip: "192.0.2.1",
          ours: "address",
          messages: 5003,
          failed: 3,
          dkimPassed: 5000,
          spfPassed: 5000,
          headerFrom: DOMAIN,
        },
        { ...of, org: "other.example", ip: "203.0.113.7", ours: "no", messages: 1, failed: 1, headerFrom: DOMAIN },
        { ...of, ip: "2001:db8::1", ours: "signature", messages: 7, failed: 0, dkimPassed: 7, headerFrom: DOMAIN },
      ]);
      assert.deepEqual([tlsSenders, tlsFailures], [[], []]);
    });

    it("sums up the DMARC reports of several weeks by source", async (t) => {
      const { spool } = await open(t);
      const weeks = { fromMs: MONDAY_MS, endMs: MONDAY_MS + 2 * WEEK_MS };
      const nothing = { reports: 0, messages: 0, failed: 0, own: 0, failedOwn: 0, passedOwnMost: 0, sent: 0 };
      const none = { ...nothing, sinceMs: null, days: 0, sources: [] };
      assert.deepEqual(await spool.dmarcPeriod(ACCOUNT, DOMAIN, weeks), none);
      const effects = [
        dmarcEffect(SOURCES),
        dmarcEffect([source({ messages: 8, spf: true })], { org: "other.example", beginMs: MONDAY_MS + WEEK_MS }),
        dmarcEffect([source({ messages: 1000 })], { org: "early.example", beginMs: MONDAY_MS - 1 }),
        dmarcEffect([source({ messages: 1000 })], { org: "late.example", beginMs: weeks.endMs }),
      ];
      const long = dmarcEffect([], { org: "long.example", beginMs: MONDAY_MS + DAY_MS });
      Object.assign(long.report, { endMs: MONDAY_MS + 3 * DAY_MS + 1 });
      effects.push(long, dmarcEffect([source({ ours: "address", spf: true })], { reportId: "r-2" }));
      for (const effect of effects) await spool.storeSenderReport(effect, AT_MS);
      const lastMs = MONDAY_MS + DAY_MS - 1000;
      const of = { dkimPassed: 0, spfPassed: 0, lastMs };
      const sources = [
        {
          ...of,
          ip: "203.0.113.7",
          ours: "no",
          messages: 420,
          failed: 412,
          spfPassed: 8,
          lastMs: lastMs + WEEK_MS,
        },
        { ...of, ip: "192.0.2.1", ours: "address", messages: 5003, failed: 3, dkimPassed: 5000, spfPassed: 5000 },
        { ...of, ip: "2001:db8::1", ours: "signature", messages: 7, failed: 0, dkimPassed: 7 },
        { ...of, ip: "203.0.113.7", ours: "address", messages: 1, failed: 0, spfPassed: 1 },
      ];
      assert.deepEqual(await spool.dmarcPeriod(ACCOUNT, DOMAIN, weeks), {
        reports: 4,
        messages: 5431,
        failed: 415,
        own: 5011,
        failedOwn: 3,
        passedOwnMost: 5007,
        sent: 0,
        sinceMs: MONDAY_MS,
        days: 2,
        sources,
      });
      assert.deepEqual(await spool.dmarcPeriod("acc_other", DOMAIN, weeks), none);
    });

    it("sums up TLS reports by sender and cause", async (t) => {
      const { spool } = await open(t);
      const expired = ["certificate-expired", "mx1.shop.example"] as const;
      await spool.storeSenderReport(
        tlsEffect([
          [...expired, 3],
          ["validation-failure", "", 1],
        ]),
        AT_MS,
      );
      await spool.storeSenderReport(tlsEffect([[...expired, 4]], { reportId: "r-2" }), AT_MS);
      await spool.storeSenderReport(tlsEffect([], { org: "other.example" }), AT_MS);
      const { receivers, tlsSenders, tlsFailures } = await spool.weekReports(ACCOUNT, DOMAIN, MONDAY_MS);
      assert.deepEqual(receivers, []);
      assert.deepEqual(tlsSenders, [
        { org: "mail.example", reports: 2, succeeded: 20, failed: 8 },
        { org: "other.example", reports: 1, succeeded: 10, failed: 0 },
      ]);
      const of = { org: "mail.example", policyType: "sts" };
      assert.deepEqual(tlsFailures, [
        { ...of, resultType: "certificate-expired", mx: "mx1.shop.example", sessions: 7 },
        { ...of, resultType: "validation-failure", mx: "", sessions: 1 },
      ]);
    });

    it("lists the weeks with reports, the newest first", async (t) => {
      const { spool } = await open(t);
      assert.deepEqual(await spool.reportedWeeks(ACCOUNT, DOMAIN), []);
      const next = MONDAY_MS + WEEK_MS;
      await spool.storeSenderReport(dmarcEffect(SOURCES, { beginMs: next - 1 }), AT_MS);
      await spool.storeSenderReport(tlsEffect([["validation-failure", "", 2]], { beginMs: next - 1 }), AT_MS);
      await spool.storeSenderReport(tlsEffect([], { reportId: "r-2", beginMs: next }), AT_MS);
      const none = { reports: 0, messages: 0, failed: 0, failedOurs: 0 };
      assert.deepEqual(await spool.reportedWeeks(ACCOUNT, DOMAIN), [
        { weekMs: next, dmarc: none, tls: { reports: 1, succeeded: 10, failed: 0 } },
        {
          weekMs: MONDAY_MS,
          dmarc: { reports: 1, messages: 5422, failed: 415, failedOurs: 3 },
          tls: { reports: 1, succeeded: 10, failed: 2 },
        },
      ]);
    });

    it("stores each report once, and keeps accounts and domains apart", async (t) => {
      const { spool } = await open(t);
      assert.equal(await spool.storeSenderReport(dmarcEffect(), AT_MS), "stored");
      assert.equal(await spool.storeSenderReport(dmarcEffect([source({ messages: 9 })]), AT_MS + 1), "repeated");
      assert.equal(await spool.storeSenderReport(tlsEffect(), AT_MS), "stored");
      assert.equal(await spool.storeSenderReport(tlsEffect(), AT_MS), "repeated");
      assert.equal(await spool.storeSenderReport(dmarcEffect(SOURCES, { accountId: "acc_other" }), AT_MS), "stored");
      assert.equal(await spool.storeSenderReport(dmarcEffect(SOURCES, { domain: "other.example" }), AT_MS), "stored");
      const { receivers, sources } = await spool.weekReports(ACCOUNT, DOMAIN, MONDAY_MS);
      assert.deepEqual([receivers.map(({ messages }) => messages), sources.length], [[1], 1]);
      assert.deepEqual(
        (await spool.reportedWeeks("acc_other", DOMAIN)).map(({ dmarc, tls }) => [dmarc.messages, tls.reports]),
        [[5422, 0]],
      );
    });

    it("tells a repetition from a new report that it may not add", async (t) => {
      const { spool } = await open(t);
      for (const make of [dmarcEffect, tlsEffect]) {
        assert.equal(await spool.storeSenderReport(make([]), AT_MS, true), "stored");
        assert.equal(await spool.storeSenderReport(make([]), AT_MS, false), "repeated");
        assert.equal(await spool.storeSenderReport(make([], { reportId: "new" }), AT_MS, false), "refused");
        assert.equal(await spool.storeSenderReport(make([], { domain: "other.example" }), AT_MS, false), "refused");
      }
      const [week] = await spool.reportedWeeks(ACCOUNT, DOMAIN);
      assert.deepEqual([week?.dmarc.reports, week?.tls.reports], [1, 1]);
    });

    it("shows a bounded number of sources, those with the most failures first", async (t) => {
      const { spool } = await open(t);
      const rows = Array.from({ length: WEEK_ROWS_MAX + 10 }, (_, i) =>
        source({ ip: `10.0.${i >> 8}.${i & 255}`, messages: i + 1 }),
      );
      await spool.storeSenderReport(dmarcEffect(rows), AT_MS);
      const { sources } = await spool.weekReports(ACCOUNT, DOMAIN, MONDAY_MS);
      assert.deepEqual([sources.length, sources[0]?.failed], [WEEK_ROWS_MAX, WEEK_ROWS_MAX + 10]);
    });

    it("deletes reports with the results of their time", async (t) => {
      const { spool } = await open(t);
      for (let i = 0; i < 50; i += 1)
        await spool.storeSenderReport(dmarcEffect(SOURCES, { reportId: `r-${i}` }), AT_MS);
      await spool.storeSenderReport(tlsEffect([["validation-failure", "", 2]]), AT_MS);
      await spool.storeSenderReport(dmarcEffect(SOURCES, { reportId: "later" }), AT_MS + 1);
      await spool.storeSenderReport(tlsEffect([], { reportId: "later" }), AT_MS + 1);
      const limits = { nowMs: AT_MS + 30 * DAY_MS, contentsBeforeMs: 0 };
      await applyRetention(spool, { ...limits, resultsBeforeMs: AT_MS });
      assert.equal((await spool.reportedWeeks(ACCOUNT, DOMAIN))[0]?.dmarc.reports, 51);
      await applyRetention(spool, { ...limits, resultsBeforeMs: AT_MS + 1 });
      const [week] = await spool.reportedWeeks(ACCOUNT, DOMAIN);
      assert.deepEqual([week?.dmarc.reports, week?.tls.reports], [1, 1]);
      const { sources, tlsFailures } = await spool.weekReports(ACCOUNT, DOMAIN, MONDAY_MS);
      assert.deepEqual([sources.find(({ ours }) => ours === "no")?.messages, tlsFailures], [412, []]);
      assert.equal(await spool.storeSenderReport(dmarcEffect(SOURCES), AT_MS + 2), "stored");
    });
  });
}
