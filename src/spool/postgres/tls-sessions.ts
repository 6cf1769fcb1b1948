/** Counts of TLS sessions with recipient domains, to which every node adds; see port/tls-sessions.ts. */
import {
  DOMAIN_ROWS_MAX,
  TLS_ROWS_MAX,
  type TlsDay,
  type TlsSessionCounts,
  type TlsSessions,
} from "../port/tls-sessions.ts";
import { withoutHosts } from "../records/tls-session-rows.ts";
import type { Database } from "./database.ts";
import { type Session, statement } from "./statement.ts";

const KEY = "day, domain, policy_type, result_type, mx, sending_ip, receiving_ip";

const add = statement(
  `INSERT INTO tls_sessions AS stored (${KEY}, sessions) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
     ON CONFLICT (${KEY}) DO UPDATE SET sessions = stored.sessions + excluded.sessions`,
);
const update = statement(
  `UPDATE tls_sessions SET sessions = sessions + $8
     WHERE day = $1 AND domain = $2 AND policy_type = $3 AND result_type = $4 AND mx = $5 AND sending_ip = $6
       AND receiving_ip = $7`,
);
const countRows = statement<{ count: number }>("SELECT count(*) FROM tls_sessions");
const findCounts = statement<TlsDay & { count: number }>(
  `SELECT day, domain, count(*) FROM tls_sessions
     WHERE (day, domain) IN (SELECT * FROM unnest($1::int[], $2::text[])) GROUP BY day, domain`,
);
const findDays = statement<TlsDay>(
  `SELECT DISTINCT day, domain FROM tls_sessions WHERE day < $1 AND (day, domain) > ($2, $3)
     ORDER BY day, domain LIMIT $4`,
);
const findSessions = statement<TlsSessions>(
  `SELECT day, domain, policy_type AS "policyType", result_type AS "resultType", mx, receiving_ip AS "receivingIp",
          sending_ip AS "sendingIp", sessions FROM tls_sessions WHERE day = $1 AND domain = $2
     ORDER BY policy_type, result_type, mx, sending_ip, receiving_ip`,
);
const remove = statement("DELETE FROM tls_sessions WHERE day = $1 AND domain = $2");

const nameOf = ({ day, domain }: TlsDay): string => `${day} ${domain}`;

export function tlsSessionOperations(database: Database): TlsSessionCounts {
  return {
    addTlsSessions: (added) => database.transaction((session) => addRows(session, added)),
    tlsDays: async (beforeDay, after, limit) =>
      (await database.run(findDays, [beforeDay, after?.day ?? -1, after?.domain ?? "", limit])).rows,
    tlsSessions: async ({ day, domain }) => (await database.run(findSessions, [day, domain])).rows,
    async removeTlsSessions({ day, domain }) {
      await database.run(remove, [day, domain]);
    },
  };
}

/** The bounds are those of the moment: nodes that add at the same time may pass them by their rows. */
async function addRows(session: Session, added: readonly TlsSessions[]): Promise<void> {
  const total = (await session.run(countRows)).rows[0]?.count ?? 0;
  const domains = [added.map(({ day }) => day), added.map(({ domain }) => domain)];
  const counted = await session.run(findCounts, domains);
  const counts = new Map(counted.rows.map((row) => [nameOf(row), row.count]));
  let left = TLS_ROWS_MAX - total;
  // In the order of the key, so that nodes wait for each other's rows instead of deadlocking.
  for (const row of added.toSorted(byKey)) {
    if ((await session.run(update, valuesOf(row))).count > 0) continue;
    const count = counts.get(nameOf(row)) ?? 0;
    const isFull = count >= DOMAIN_ROWS_MAX;
    if (left <= 0 && !isFull) continue;
    await session.run(add, valuesOf(isFull ? withoutHosts(row) : row));
    counts.set(nameOf(row), count + 1);
    left -= 1;
  }
}

const valuesOf = ({ day, domain, policyType, resultType, mx, sendingIp, receivingIp, sessions }: TlsSessions) => [
  ...[day, domain, policyType, resultType, mx, sendingIp, receivingIp, sessions],
];

function byKey(one: TlsSessions, other: TlsSessions): number {
  const [first, second] = [JSON.stringify(valuesOf(one)), JSON.stringify(valuesOf(other))];
  return first < second ? -1 : Number(first > second);
}
