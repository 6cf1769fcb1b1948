/** Which MTA-STS policies a node is fetching, so that no other one fetches them too. */
import type { StsPolicies } from "../../../port/sts-policies.ts";
import type { Database } from "../connection/database.ts";
import { statement } from "../connection/statement.ts";

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

/** A policy that is stored ends its fetch. `storeStsPolicy` is the store's own form. */
export function stsFetchOperations(
  database: Database,
  { storeStsPolicy }: Pick<StsPolicies, "storeStsPolicy">,
): Omit<StsPolicies, "stsPolicy"> {
  return {
    async beginStsFetch(domain, forMs) {
      if ((await database.run(begin, [domain, forMs])).count > 0) return "begun";
      const [fetch] = (await database.run(findFetch, [domain])).rows;
      return fetch?.failed ? "failed" : "under_way";
    },
    async failStsFetch(domain, forMs) {
      await database.run(sweepFetches);
      await database.run(fail, [domain, forMs]);
    },
    async storeStsPolicy(policy) {
      await storeStsPolicy(policy);
      await database.run(end, [policy.domain]);
    },
  };
}
