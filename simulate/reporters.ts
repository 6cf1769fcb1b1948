/**
 * Hosts and providers that send bounces and complaints about what peers have accepted, to the envelope senders of recipients. They
 * try again until a mail is stored, as the listener's 250 says. Checks afterwards that each stored mail has had its
 * effect once.
 */
import type { Database } from "better-sqlite3";
import { returnPathAddress } from "../src/message/return-path.ts";
import type { SqliteStore } from "../src/spool/engine/sqlite/sqlite-spool.ts";
import type { History, ReturnedMail } from "./history.ts";
import { FEEDBACK_KEY, SENDER_DOMAIN } from "./initial-spool.ts";
import type { Prng } from "./prng.ts";

/** Runs with such hosts. The random numbers are their own, so that the others of a seed do not depend on them. */
const RUNS_PROBABILITY = 0.3;
const RATE = [0.05, 0.8] as const;
const TWICE_PROBABILITY = 0.2;
const AGAIN_PROBABILITY = 0.8;

interface DeliveredRow {
  messageId: string;
  header: string;
  position: number;
  email: string;
  result: "delivered" | "unknown";
}

export interface ReporterParts {
  spool: SqliteStore;
  db: Database;
  nowMs: number;
}

export class Reporters {
  readonly #prng: Prng;
  readonly #history: History;
  readonly #rate: number;
  #isEnding = false;

  constructor(prng: Prng, history: History) {
    this.#prng = prng;
    this.#history = history;
    this.#rate = prng.chance(RUNS_PROBABILITY) ? prng.logUniform(RATE) : 0;
  }

  /** Whether any mail comes back in this run. */
  get areActive(): boolean {
    return this.#rate > 0;
  }

  /** From now on there is no new mail. */
  end(): void {
    this.#isEnding = true;
  }

  /** Sends a new mail, sometimes twice, and those again that were not stored. To be called once a minute. */
  act(parts: ReporterParts): void {
    if (this.#rate === 0) return;
    for (const mail of this.#history.returned) {
      if (!mail.isStored && this.#prng.chance(AGAIN_PROBABILITY)) this.#send(mail, parts);
    }
    if (this.#isEnding || !this.#prng.chance(this.#rate)) return;
    const about = this.#recipient(parts.db);
    if (about === null) return;
    const mail = this.#newMail(about);
    this.#send(mail, parts);
    if (this.#prng.chance(TWICE_PROBABILITY)) this.#send(this.#newMail(about, mail.kind), parts);
  }

  /** A recipient whose message a peer has accepted; null if there is none. */
  #recipient(db: Database): DeliveredRow | null {
    const rows = db
      .prepare<[], DeliveredRow>(
        `SELECT m.id AS messageId, m.message_id AS header, r.position, r.email, r.result
           FROM recipient_states r JOIN messages m USING (seq) WHERE r.result IN ('delivered', 'unknown') ORDER BY r.seq, r.position`,
      )
      .all()
      .filter((row) =>
        this.#history.deliveries.some(
          ({ messageId, recipient }) => messageId === row.header && recipient === row.email,
        ),
      );
    return rows[this.#prng.integer(0, Math.max(0, rows.length - 1))] ?? null;
  }

  /** About an unknown recipient only complaints: it has got the message, so no host says that it has not. */
  #newMail({ messageId, position, result }: DeliveredRow, kind?: ReturnedMail["kind"]): ReturnedMail {
    const drawn = result === "delivered" && this.#prng.chance(0.5) ? "bounce" : "complaint";
    const mail = { kind: kind ?? drawn, messageId, position, isStored: false };
    this.#history.returned.push(mail);
    return mail;
  }

  #send(mail: ReturnedMail, { spool, nowMs }: ReporterParts): void {
    const { messageId, position } = mail;
    const recipient = returnPathAddress({ messageId, position, domain: SENDER_DOMAIN }, FEEDBACK_KEY);
    const content = Buffer.from(mail.kind === "bounce" ? BOUNCE : COMPLAINT);
    spool.storeIncoming({ recipient, envelopeSender: "", ip: "192.0.2.1", receivedAtMs: nowMs, content }).then(
      () => {
        mail.isStored = true;
      },
      () => {},
    );
  }
}

const report = (type: string, fields: readonly string[]): string =>
  [
    "From: mailer-daemon@mx.example",
    "Subject: Report",
    "MIME-Version: 1.0",
    `Content-Type: multipart/report; report-type=${type}; boundary=b`,
    "",
    "--b",
    "Content-Type: text/plain",
    "",
    "A report.",
    "--b",
    `Content-Type: message/${type}`,
    "",
    ...fields,
    "",
    "--b--",
    "",
  ].join("\r\n");

const BOUNCE = report("delivery-status", [
  "Reporting-MTA: dns; mx.example",
  "",
  "Final-Recipient: rfc822; somebody@d0.example",
  "Action: failed",
  "Status: 5.1.1",
  "Diagnostic-Code: smtp; 550 5.1.1 No such user",
]);

const COMPLAINT = report("feedback-report", ["Feedback-Type: abuse", "User-Agent: simulator/1", "Version: 1"]);

interface EffectRow {
  seq: number;
  name: string;
  events: number;
  entries: number;
}

/** Each stored mail has had its effect, once for each kind and recipient, and nothing else is stored. Before the end, mail may wait. */
export function returnedMailIsApplied(db: Database, { returned, damaged }: History, expectEnd: boolean): string[] {
  const nameOf = ({ messageId, position, kind }: ReturnedMail): string => `${kind} about ${messageId} ${position}`;
  const found = new Map(effectsIn(db).map((row) => [row.name, row]));
  const seqOf = db.prepare<[string], number>("SELECT seq FROM messages WHERE id = ?").pluck();
  const stored = returned.filter(({ isStored, messageId }) => isStored && !damaged.has(seqOf.get(messageId) ?? -1));
  const lost = new Set(expectEnd ? stored.map(nameOf).filter((name) => !found.has(name)) : []);
  const known = new Set(returned.map(nameOf));
  const isOnce = (count: number, seq: number): boolean => count === 1 || (count === 0 && damaged.has(seq));
  return [
    ...[...lost].map((name) => `lost: ${name}`),
    ...[...found.keys()].filter((name) => !known.has(name)).map((name) => `nobody sent: ${name}`),
    ...[...found.values()]
      .filter(({ seq, events, entries }) => !isOnce(events, seq) || !isOnce(entries, seq))
      .map(({ name, events, entries }) => `${name}: ${events} events, ${entries} entries in the history`),
  ];
}

const effectsIn = (db: Database): EffectRow[] =>
  db
    .prepare<[], EffectRow>(
      `SELECT f.seq, f.kind || ' about ' || m.id || ' ' || f.position AS name,
              (SELECT count(*) FROM events e WHERE e.seq = f.seq AND e.position = f.position
                 AND e.type = iif(f.kind = 'bounce', 'recipient.bounced', 'recipient.complained')) AS events,
              (SELECT count(*) FROM events e WHERE e.seq = f.seq AND e.position = f.position
                 AND iif(json_valid(e.history), json_extract(e.history, '$.type'), '') = iif(f.kind = 'bounce', 'bounced', 'complained')) AS entries
         FROM feedback f JOIN messages m USING (seq)`,
    )
    .all();
