/**
 * The cache of MTA-STS policies (RFC 8461 §5.1), one row for each recipient domain, and which of them a node is fetching. The
 * reader decides whether a policy still holds; expired rows are removed when another is stored.
 */
import type { StsPolicies, StsPolicy } from "../port/sts-policies.ts";
import { isTexts, soundJson } from "../records/stored-json.ts";
import type { Database } from "./database.ts";
import { statement } from "./statement.ts";

const find = statement<Omit<StsPolicy, "mx"> & { mx: string }>(
  `SELECT domain, id, mode, mx, fetched_at_ms AS "fetchedAtMs", expires_at_ms AS "expiresAtMs"
     FROM sts_policies WHERE domain = $1`,
);
const store = statement(
  `INSERT INTO sts_policies (domain, id, mode, mx, fetched_at_ms, expires_at_ms) VALUES ($1, $2, $3, $4, $5, $6)
     ON CONFLICT (domain) DO UPDATE SET id = excluded.id, mode = excluded.mode, mx = excluded.mx,
       fetched_at_ms = excluded.fetched_at_ms, expires_at_ms = excluded.expires_at_ms`,
);

// A row that another node stores anew or removes at this moment is left to it.
const sweep = statement(
  `DELETE FROM sts_policies WHERE domain IN
     (SELECT domain FROM sts_policies WHERE expires_at_ms < $1 FOR UPDATE SKIP LOCKED)`,
);

const LATER = "clock_timestamp() + $2::float8 * interval '1 ms'";
const begin = statement(
  `INSERT INTO sts_fetches (domain, failed, until) VALUES ($1, false, ${LATER})
     ON CONFLICT (domain) DO UPDATE SET failed = false, until = excluded.until
       WHERE sts_fetches.until <= clock_timestamp()`,
);
const findFetch = statement<{ failed: boolean }>("SELECT failed FROM sts_fetches WHERE domain = $1");
const fail = statement(
  `INSERT INTO sts_fetches (domain, failed, until) VALUES ($1, true, ${LATER})
     ON CONFLICT (domain) DO UPDATE SET failed = true, until = excluded.until`,
);
const end = statement("DELETE FROM sts_fetches WHERE domain = $1");
const sweepFetches = statement(
  `DELETE FROM sts_fetches WHERE domain IN
     (SELECT domain FROM sts_fetches WHERE until < clock_timestamp() FOR UPDATE SKIP LOCKED)`,
);

export function stsPolicyOperations(database: Database): StsPolicies {
  return {
    /** One whose hosts cannot be decoded reads as absent, and is fetched again. */
    async stsPolicy(domain) {
      const [row] = (await database.run(find, [domain])).rows;
      if (row === undefined) return null;
      const mx = soundJson(row.mx, isTexts);
      return mx === null ? null : { ...row, mx };
    },
    async beginStsFetch(domain, forMs) {
      if ((await database.run(begin, [domain, forMs])).count > 0) return "begun";
      const [fetch] = (await database.run(findFetch, [domain])).rows;
      return fetch?.failed ? "failed" : "under_way";
    },
    async failStsFetch(domain, forMs) {
      await database.run(sweepFetches);
      await database.run(fail, [domain, forMs]);
    },
    async storeStsPolicy({ domain, id, mode, mx, fetchedAtMs, expiresAtMs }) {
      await database.run(sweep, [fetchedAtMs]);
      await database.run(store, [domain, id, mode, JSON.stringify(mx), fetchedAtMs, expiresAtMs]);
      await database.run(end, [domain]);
    },
  };
}
