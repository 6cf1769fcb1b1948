/**
 * Mail that comes back: stores it, and decides which is due next and which is kept aside. The mail path of each engine deletes a mail in
 * the transaction that stores its effect.
 */
import { clientNetwork } from "../../../lib/client-address.ts";
import { first, type Session } from "../../engine/session.ts";
import { statement } from "../../engine/statement.ts";
import {
  DELAY_MS_PER_OCTET,
  INCOMPLETE_KEPT_MS,
  type IncomingBacklog,
  type IncomingMail,
  NETWORK_SHARE_MIN,
  type NewIncomingMail,
  POSTPONED_MAX_MS,
  QUEUED_MAX,
  type QueuedMail,
  SET_ASIDE_KEPT_MS,
  SET_ASIDE_MAX,
  SET_ASIDE_OCTETS_MAX,
  type SetAsideMail,
  SIZE_DELAY_MAX_MS,
} from "../../port/incoming.ts";

const damageable = <Row>(text: string) => statement<Row>(text, { ifDamaged: "the mail that has come back" });

const add = statement(
  `INSERT INTO incoming
     (id, recipient, domain, envelope_sender, ip, network, received_at_ms, turn_ms, due_at_ms, octets, content)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
);
const addPart = statement("INSERT INTO incoming_parts (incoming_id, part, content) VALUES ($1, $2, $3)");
const makeDue = statement("UPDATE incoming SET due_at_ms = received_at_ms WHERE id = $1 AND due_at_ms IS NULL");
const AMOUNT = "count(*) AS mails, CAST(coalesce(sum(octets), 0) AS bigint) AS octets";
const countAll = damageable<Pick<IncomingBacklog, "mails" | "octets">>(`SELECT ${AMOUNT} FROM incoming`);
const countNetworks = damageable<IncomingBacklog["networks"][number]>(
  `SELECT network, ${AMOUNT} FROM incoming GROUP BY network HAVING count(*) >= $1 OR sum(octets) >= $2`,
);

const QUEUED = `id, recipient, ip, received_at_ms AS "receivedAtMs", octets`;
const DUE = "due_at_ms >= 0 AND (due_at_ms <= $1 OR due_at_ms > $2)";
const firstDue = (where: string) =>
  `(SELECT number FROM incoming WHERE ${where} AND ${DUE} ORDER BY turn_ms, number LIMIT 1)`;
// The index incoming_turns has the domains, and leads from each mail of a domain to the next: both databases follow the domains
// breadth-first, so they read as many mails as the list has, and not all that wait.
const findQueue = damageable<QueuedMail>(
  `WITH RECURSIVE domains (name) AS (
     SELECT (SELECT min(domain) FROM incoming) UNION ALL
     SELECT (SELECT min(domain) FROM incoming WHERE domain > domains.name) FROM domains WHERE domains.name IS NOT NULL
   ), heads AS (
     SELECT number, domain, turn_ms FROM domains JOIN incoming AS head
         ON head.number = ${firstDue("domain = domains.name")}
      ORDER BY turn_ms, number LIMIT ${QUEUED_MAX}
   ), queued (number, domain, turn_ms, place) AS (
     SELECT number, domain, turn_ms, 1 FROM heads UNION ALL
     SELECT next.number, next.domain, next.turn_ms, place + 1 FROM queued JOIN incoming AS next
         ON next.number = ${firstDue("domain = queued.domain AND (turn_ms, number) > (queued.turn_ms, queued.number)")}
   )
   SELECT ${QUEUED} FROM (SELECT number, place FROM queued LIMIT ${QUEUED_MAX}) AS listed JOIN incoming USING (number)
    ORDER BY place, turn_ms, number`,
);
// The index is enough to answer it on SQLite, so a damaged page of the table does not hide the mails on others.
const findNumbers = damageable<{ number: number }>(
  `SELECT number FROM incoming WHERE ${DUE} ORDER BY due_at_ms LIMIT ${QUEUED_MAX}`,
);
const findNumbered = damageable<QueuedMail>(`SELECT ${QUEUED} FROM incoming WHERE number = $1`);

const findMail = damageable<IncomingMail & { octets: number }>(
  `SELECT id, recipient, envelope_sender AS "envelopeSender", ip, received_at_ms AS "receivedAtMs", octets, content
     FROM incoming WHERE id = $1`,
);
const findParts = damageable<{ content: Uint8Array }>(
  "SELECT content FROM incoming_parts WHERE incoming_id = $1 ORDER BY part",
);
const postpone = statement("UPDATE incoming SET due_at_ms = $2 WHERE id = $1");

// A mail that was set aside has a negative due time, so that no other column is needed: the negated time at which it was.
const setAsideDue = (atMs: number): number => -Math.max(1, atMs);
const findSetAside = damageable<SetAsideMail>(
  `SELECT ${QUEUED}, envelope_sender AS "envelopeSender", -due_at_ms AS "setAsideAtMs"
     FROM incoming WHERE due_at_ms < 0 ORDER BY due_at_ms, number DESC LIMIT ${SET_ASIDE_MAX}`,
);
const trim = statement(
  `DELETE FROM incoming WHERE number IN (
     SELECT number FROM (
       SELECT number, due_at_ms, row_number() OVER newest AS place, sum(octets) OVER newest AS octets
         FROM incoming WHERE due_at_ms < 0 WINDOW newest AS (ORDER BY due_at_ms, number DESC)
     ) AS aside WHERE place > ${SET_ASIDE_MAX} OR octets > ${SET_ASIDE_OCTETS_MAX} OR due_at_ms > $1)`,
);

const trimIncomplete = statement("DELETE FROM incoming WHERE due_at_ms IS NULL AND received_at_ms < $1");

/** A mail as it is first stored. */
interface FirstPart extends NewIncomingMail {
  id: string;
  /** Of the whole content, of which `content` is the beginning. */
  octets: number;
}

const findAny = statement("SELECT 1 FROM incoming LIMIT 1", { ifDamaged: "the mail that came back" });

/** What follows of a content. */
interface LaterPart {
  id: string;
  /** From 1 on. */
  part: number;
  content: Uint8Array;
  isLast: boolean;
}

export const incomingMailOperations = {
  reads: {
    setAsideMails: async (session: Session) => (await session.run(findSetAside)).rows,
    /** Whether no mail waits, is kept or has been set aside. A report about it would start a thread. */
    async isIncomingEmpty(session: Session): Promise<boolean> {
      const { rows, isDamaged } = await session.run(findAny);
      return rows.length === 0 && isDamaged !== true;
    },
  },
  writes: {
    storeIncoming,
    storeIncomingPart,
    postponeIncoming,
    async setAsideIncoming(session: Session, id: string, atMs: number): Promise<void> {
      await postponeIncoming(session, id, setAsideDue(atMs));
      await trimSetAside(session, atMs);
    },
    trimSetAside,
  },
  // 10,000 mails may wait, and a content of megabytes would stop the event loop for as long as the disk needs. `about` names their queue.
  reports: {
    incomingBacklog,
    incomingQueue,
    incomingMail,
  },
};

async function incomingBacklog(session: Session, _about: string): Promise<IncomingBacklog> {
  const { mails, octets } = (await first(session, countAll)) ?? { mails: 0, octets: 0 };
  const least = [mails, octets].map((all) => Math.ceil(NETWORK_SHARE_MIN * all));
  return { mails, octets, networks: (await session.run(countNetworks, least)).rows };
}

async function incomingQueue(session: Session, _about: string, nowMs: number): Promise<QueuedMail[]> {
  const times = [nowMs, nowMs + POSTPONED_MAX_MS];
  const { rows } = await session.run(findQueue, times);
  if (rows.length > 0) return rows;
  const undamaged: QueuedMail[] = [];
  for (const { number } of (await session.run(findNumbers, times)).rows) {
    undamaged.push(...(await session.run(findNumbered, [number])).rows);
  }
  return undamaged;
}

async function incomingMail(session: Session, _about: string, id: string): Promise<IncomingMail | null> {
  const found = await first(session, findMail, [id]);
  if (found === null) return null;
  const { octets, ...mail } = found;
  if (octets === mail.content.length) return mail;
  const parts = (await session.run(findParts, [id])).rows;
  const content = Buffer.concat([mail.content, ...parts.map((part) => part.content)]);
  return content.length === octets ? { ...mail, content } : null;
}

async function storeIncoming(session: Session, mail: FirstPart): Promise<void> {
  const { id, recipient, envelopeSender, ip, receivedAtMs, octets, content } = mail;
  const domain = recipient.slice(recipient.indexOf("@") + 1).toLowerCase();
  const turnMs = receivedAtMs + Math.min(DELAY_MS_PER_OCTET * octets, SIZE_DELAY_MAX_MS);
  const dueMs = content.length === octets ? receivedAtMs : null;
  const about = [id, recipient, domain, envelopeSender, ip, clientNetwork(ip)];
  await session.run(add, [...about, receivedAtMs, turnMs, dueMs, octets, content]);
}

/** Rejects if the mail is gone. */
async function storeIncomingPart(session: Session, { id, part, content, isLast }: LaterPart): Promise<void> {
  await session.run(addPart, [id, part, content]);
  if (isLast) await session.run(makeDue, [id]);
}

export async function postponeIncoming(session: Session, id: string, dueMs: number): Promise<void> {
  await session.run(postpone, [id, dueMs]);
}

async function trimSetAside(session: Session, nowMs: number): Promise<void> {
  await session.run(trim, [setAsideDue(nowMs - SET_ASIDE_KEPT_MS)]);
  await session.run(trimIncomplete, [nowMs - INCOMPLETE_KEPT_MS]);
}
