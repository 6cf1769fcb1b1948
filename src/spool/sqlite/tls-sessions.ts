/** Counts of TLS sessions with recipient domains; see port/tls-sessions.ts. The caller holds the transaction of a write. */
import type { Database } from "better-sqlite3";
import { DOMAIN_ROWS_MAX, TLS_ROWS_MAX, type TlsDay, type TlsSessions } from "../port/tls-sessions.ts";
import { withoutHosts } from "../records/tls-session-rows.ts";
import { type DamageLog, type DamageReports, unlessDamaged } from "./damage.ts";
import type { Written } from "./written.ts";

const PLACE = "the counts of TLS sessions";

const OF_ROW = `day = @day AND domain = @domain AND policy_type = @policyType AND result_type = @resultType AND mx = @mx
  AND sending_ip = @sendingIp AND receiving_ip = @receivingIp`;

export function prepareTlsSessionWrites(db: Database, damage: DamageLog) {
  const update = db.prepare<TlsSessions>(`UPDATE tls_sessions SET sessions = sessions + @sessions WHERE ${OF_ROW}`);
  const insert = db.prepare<TlsSessions>(
    `INSERT INTO tls_sessions (day, domain, policy_type, result_type, mx, sending_ip, receiving_ip, sessions)
       VALUES (@day, @domain, @policyType, @resultType, @mx, @sendingIp, @receivingIp, @sessions)`,
  );
  const count = db.prepare<[], number>("SELECT count(*) FROM tls_sessions").pluck();
  const ofDomain = db
    .prepare<TlsDay, number>("SELECT count(*) FROM tls_sessions WHERE day = @day AND domain = @domain")
    .pluck();
  const remove = db.prepare<TlsDay>("DELETE FROM tls_sessions WHERE day = @day AND domain = @domain");
  const add = (added: readonly TlsSessions[]): void => {
    let left = TLS_ROWS_MAX - (count.get() ?? 0);
    for (const row of added) {
      if (update.run(row).changes > 0) continue;
      const isFull = (ofDomain.get({ day: row.day, domain: row.domain }) ?? 0) >= DOMAIN_ROWS_MAX;
      const stored = isFull ? withoutHosts(row) : row;
      if ((isFull && update.run(stored).changes > 0) || left <= 0) continue;
      insert.run(stored);
      left -= 1;
    }
  };
  return {
    addTlsSessions(added: readonly TlsSessions[]): Written<void> {
      return { value: damage.runOptional(PLACE, () => add(added), undefined) };
    },
    removeTlsSessions({ day, domain }: TlsDay): Written<void> {
      return { value: damage.runOptional(PLACE, () => void remove.run({ day, domain }), undefined) };
    },
  };
}

/** Damaged counts read as absent. */
export function prepareTlsSessionReads(db: Database, log: DamageReports) {
  const days = db.prepare<{ beforeDay: number; day: number; domain: string; limit: number }, TlsDay>(
    `SELECT DISTINCT day, domain FROM tls_sessions WHERE day < @beforeDay AND (day, domain) > (@day, @domain)
       ORDER BY day, domain LIMIT @limit`,
  );
  const sessions = db.prepare<TlsDay, TlsSessions>(
    `SELECT day, domain, policy_type AS policyType, result_type AS resultType, mx, receiving_ip AS receivingIp,
            sending_ip AS sendingIp, sessions FROM tls_sessions WHERE day = @day AND domain = @domain
       ORDER BY policy_type, result_type, mx, sending_ip, receiving_ip`,
  );
  const at = { log, place: PLACE };
  return {
    tlsDays: (beforeDay: number, after: TlsDay | null, limit: number): TlsDay[] =>
      unlessDamaged(() => days.all({ beforeDay, day: after?.day ?? -1, domain: after?.domain ?? "", limit }), [], at),
    tlsSessions: ({ day, domain }: TlsDay): TlsSessions[] => unlessDamaged(() => sessions.all({ day, domain }), [], at),
  };
}
