/**
 * The cache of MTA-STS policies (RFC 8461 §5.1), one row for each recipient domain. The reader decides whether a policy still holds;
 * expired ones are removed when another is stored. A policy that cannot be read is absent, and is fetched again.
 */
import { first, type Session } from "../../engine/session.ts";
import { statement } from "../../engine/statement.ts";
import type { StsPolicy } from "../../port/sts-policies.ts";
import { isTexts, soundJson } from "../../records/stored-json.ts";
import { sweepOf } from "../rows/sweep.ts";

const find = statement<Omit<StsPolicy, "mx"> & { mx: string }>(
  `SELECT domain, id, mode, mx, fetched_at_ms AS "fetchedAtMs", expires_at_ms AS "expiresAtMs"
     FROM sts_policies WHERE domain = $1`,
  { ifDamaged: "the MTA-STS policies" },
);
const store = statement(
  `INSERT INTO sts_policies (domain, id, mode, mx, fetched_at_ms, expires_at_ms) VALUES ($1, $2, $3, $4, $5, $6)
     ON CONFLICT (domain) DO UPDATE SET id = excluded.id, mode = excluded.mode, mx = excluded.mx,
       fetched_at_ms = excluded.fetched_at_ms, expires_at_ms = excluded.expires_at_ms`,
);
const sweep = sweepOf("sts_policies", "domain", "expires_at_ms < $1");

export const stsPolicyOperations = {
  reads: {
    async stsPolicy(session: Session, domain: string): Promise<StsPolicy | null> {
      const row = await first(session, find, [domain]);
      if (row === null) return null;
      const mx = soundJson(row.mx, isTexts);
      if (mx !== null) return { ...row, mx };
      session.reportDamage(`the MTA-STS policy of ${domain}`, "its hosts cannot be decoded");
      return null;
    },
  },
  writes: {
    async storeStsPolicy(session: Session, policy: StsPolicy): Promise<void> {
      const { domain, id, mode, mx, fetchedAtMs, expiresAtMs } = policy;
      // The sweep waits for no other node, so two that store at the same time do not wait for each other.
      await session.run(store, [domain, id, mode, JSON.stringify(mx), fetchedAtMs, expiresAtMs]);
      await session.run(sweep, [fetchedAtMs]);
    },
  },
};
