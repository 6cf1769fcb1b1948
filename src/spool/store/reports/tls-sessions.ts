/** Counts of TLS sessions with recipient domains, to which every node adds; see port/tls-sessions.ts. */
import { first, type Session } from "../../engine/session.ts";
import { statement } from "../../engine/statement.ts";
import { DOMAIN_ROWS_MAX, TLS_ROWS_MAX, type TlsDay, type TlsSessions } from "../../port/tls-sessions.ts";
import { withoutHosts } from "../../records/tls-session-rows.ts";
import { jsonRows } from "../rows/json-rows.ts";

const damageable = <Row>(text: string) => statement<Row>(text, { ifDamaged: "the counts of TLS sessions" });

const KEY = "day, domain, policy_type, result_type, mx, sending_ip, receiving_ip";

const add = damageable(
  `INSERT INTO tls_sessions AS stored (${KEY}, sessions) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
     ON CONFLICT (${KEY}) DO UPDATE SET sessions = stored.sessions + excluded.sessions`,
);
const update = damageable(
  `UPDATE tls_sessions SET sessions = sessions + $8
     WHERE day = $1 AND domain = $2 AND policy_type = $3 AND result_type = $4 AND mx = $5 AND sending_ip = $6
       AND receiving_ip = $7`,
);
const countRows = damageable<{ count: number }>("SELECT count(*) AS count FROM tls_sessions");
const findCounts = damageable<TlsDay & { count: number }>(
  `SELECT day, domain, count(*) AS count FROM tls_sessions
     WHERE (day, domain) IN (SELECT CAST(value ->> 'day' AS integer), value ->> 'domain' FROM json_each($1))
     GROUP BY day, domain`,
);
const findDays = damageable<TlsDay>(
  `SELECT DISTINCT day, domain FROM tls_sessions WHERE day < $1 AND (day, domain) > ($2, $3)
     ORDER BY day, domain LIMIT $4`,
);
const findSessions = damageable<TlsSessions>(
  `SELECT day, domain, policy_type AS "policyType", result_type AS "resultType", mx, receiving_ip AS "receivingIp",
          sending_ip AS "sendingIp", sessions FROM tls_sessions WHERE day = $1 AND domain = $2
     ORDER BY policy_type, result_type, mx, sending_ip, receiving_ip`,
);
const remove = damageable("DELETE FROM tls_sessions WHERE day = $1 AND domain = $2");

export const tlsSessionOperations = {
  reads: {
    tlsDays: async (session: Session, beforeDay: number, after: TlsDay | null, limit: number) =>
      (await session.run(findDays, [beforeDay, after?.day ?? -1, after?.domain ?? "", limit])).rows,
    tlsSessions: async (session: Session, { day, domain }: TlsDay) =>
      (await session.run(findSessions, [day, domain])).rows,
  },
  writes: {
    addTlsSessions,
    async removeTlsSessions(session: Session, { day, domain }: TlsDay): Promise<void> {
      await session.run(remove, [day, domain]);
    },
  },
};

/** The bounds are those of the moment: nodes that add at the same time may pass them by their rows. */
async function addTlsSessions(session: Session, added: readonly TlsSessions[]): Promise<void> {
  let left = TLS_ROWS_MAX - ((await first(session, countRows))?.count ?? 0);
  const counted = await session.run(findCounts, [jsonRows(added.map(({ day, domain }) => ({ day, domain })))]);
  const counts = new Map(counted.rows.map((row) => [nameOf(row), row.count]));
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

const nameOf = ({ day, domain }: TlsDay): string => `${day} ${domain}`;

const valuesOf = ({ day, domain, policyType, resultType, mx, sendingIp, receivingIp, sessions }: TlsSessions) => [
  day,
  domain,
  policyType,
  resultType,
  mx,
  sendingIp,
  receivingIp,
  sessions,
];

function byKey(one: TlsSessions, other: TlsSessions): number {
  const [first, second] = [JSON.stringify(valuesOf(one)), JSON.stringify(valuesOf(other))];
  return first < second ? -1 : Number(first > second);
}
