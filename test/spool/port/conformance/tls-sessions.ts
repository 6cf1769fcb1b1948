/** Counts of TLS sessions with recipient domains. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { DOMAIN_ROWS_MAX, type TlsSessions } from "../../../../src/spool/port/tls-sessions.ts";
import type { OpenSpool } from "./suite.ts";

const DAY = 20_000;

const sessions = (parts: Partial<TlsSessions> = {}): TlsSessions => ({
  day: DAY,
  domain: "a.example",
  policyType: "sts",
  resultType: "",
  mx: "",
  receivingIp: "",
  sendingIp: "",
  sessions: 1,
  ...parts,
});

const expired = (parts: Partial<TlsSessions> = {}): TlsSessions =>
  sessions({
    resultType: "certificate-expired",
    mx: "mx.a.example",
    receivingIp: "192.0.2.9",
    sendingIp: "192.0.2.1",
    ...parts,
  });

export function tlsSessionsConformance(name: string, open: OpenSpool): void {
  describe(`${name}: counts of TLS sessions`, () => {
    it("adds up, also after a crash", async (t) => {
      const first = await open(t);
      await first.spool.addTlsSessions([sessions({ sessions: 5 }), expired(), sessions({ domain: "b.example" })]);
      await first.spool.addTlsSessions([
        expired({ sessions: 2 }),
        sessions({ sessions: 3 }),
        sessions({ day: DAY + 1 }),
      ]);
      const { spool } = await first.reopen();
      const of = { day: DAY, domain: "a.example" };
      assert.deepEqual(await spool.tlsSessions(of), [sessions({ sessions: 8 }), expired({ sessions: 3 })]);
      assert.deepEqual(await spool.tlsSessions({ ...of, day: DAY + 1 }), [sessions({ day: DAY + 1 })]);
      assert.deepEqual(await spool.tlsSessions({ ...of, domain: "other.example" }), []);
    });

    it("lists days in pages, and forgets them", async (t) => {
      const { spool } = await open(t);
      const days = ["a.example", "b.example", "c.example"].flatMap((domain) => [
        { day: DAY, domain },
        { day: DAY + 1, domain },
      ]);
      for (const of of days) await spool.addTlsSessions([sessions(of), sessions({ ...of, policyType: "tlsa" })]);
      const ofFirst = days.filter(({ day }) => day === DAY);
      assert.deepEqual(await spool.tlsDays(DAY + 1, null, 2), ofFirst.slice(0, 2));
      assert.deepEqual(await spool.tlsDays(DAY + 1, ofFirst[1] ?? null, 2), ofFirst.slice(2));
      assert.equal((await spool.tlsDays(DAY + 2, null, 100)).length, 6);
      await spool.removeTlsSessions({ day: DAY, domain: "a.example" });
      assert.deepEqual(await spool.tlsDays(DAY + 1, null, 100), ofFirst.slice(1));
      assert.equal((await spool.tlsSessions({ day: DAY + 1, domain: "a.example" })).length, 2);
    });

    it("keeps a bounded number of hosts of a domain, and counts the others together", async (t) => {
      const { spool } = await open(t);
      const hosts = Array.from({ length: DOMAIN_ROWS_MAX + 5 }, (_, i) => expired({ mx: `mx${i}.a.example` }));
      await spool.addTlsSessions(hosts);
      await spool.addTlsSessions([expired({ mx: "mx0.a.example" }), expired({ mx: "another.a.example" })]);
      const stored = await spool.tlsSessions({ day: DAY, domain: "a.example" });
      assert.equal(stored.length, DOMAIN_ROWS_MAX + 1);
      const sum = stored.reduce((total, row) => total + row.sessions, 0);
      assert.equal(sum, DOMAIN_ROWS_MAX + 7);
      assert.equal(stored.find(({ mx }) => mx === "")?.sessions, 6);
      assert.equal(stored.find(({ mx }) => mx === "mx0.a.example")?.sessions, 2);
    });
  });
}
