/** Where each recipient of a report is, and the limits of what it shows. */
import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import type { HostAttempt } from "../../../../../src/message/result/outcome.ts";
import { Database } from "../../../../../src/spool/engine/postgres/connection/database.ts";
import { writeEvents } from "../../../../../src/spool/engine/postgres/mail/event-writer.ts";
import { reportOf } from "../../../../../src/spool/engine/postgres/reports/reported-message.ts";
import { MessageDamaged } from "../../../../../src/spool/port/errors.ts";
import type { SpoolEvent } from "../../../../../src/spool/port/results.ts";
import { rcptReply } from "../../../../support/messages.ts";
import { freshDatabase } from "../../../../support/postgres/fresh-database.ts";
import { missingPostgresOrTime } from "../../../../support/postgres/installation.ts";
import { StoredMail } from "../../../../support/postgres/stored-mail.ts";

const NOW_MS = 1_700_000_000_000;
const ACCOUNT = "acc_default";
/** The longest reply that is stored. It has a character that PostgreSQL cannot decode from JSON. */
const WORDS = `${"é".repeat(2047)}\0`;
const TRIES = 16;
const ATTEMPTS = 4;

const smtp = { code: 451, enhanced_code: "4.7.1", message: WORDS, mx: "mx", ip: null, tls: null };

const tried = (i: number): HostAttempt => ({
  ...rcptReply({ code: 451, enhanced_code: "4.7.1", message: WORDS }),
  mx: `mx${i}.a.example`,
});

async function setUp(t: TestContext) {
  const { url, connect } = await freshDatabase(t);
  const database = new Database({ connectionString: url });
  t.after(() => database.close());
  return { database, client: await connect(), mail: new StoredMail(database) };
}

type Parts = Awaited<ReturnType<typeof setUp>>;

/** Every recipient was deferred again and again, each time by many hosts with the longest replies. */
async function deferAll(
  { database, mail }: Parts,
  recipients: number,
  { hosts = TRIES, attempts = ATTEMPTS } = {},
): Promise<string> {
  const { seq, id } = await mail.add({
    createdAtMs: NOW_MS,
    recipients: Array.from({ length: recipients }, () => ({ state: "new" })),
  });
  const tries = Array.from({ length: hosts }, (_, i) => tried(i));
  for (let attempt = 1; attempt <= attempts; attempt += 1) {
    const atMs = NOW_MS + attempt;
    const cause = { reason: "temporarily_refused", category: null };
    const entry: SpoolEvent = { at_ms: atMs, type: "deferred", attempt, ...cause, tries, next_attempt_at_ms: atMs + 1 };
    const events = Array.from({ length: recipients }, (_, position) => ({
      seq,
      accountId: ACCOUNT,
      atMs,
      type: "recipient.deferred" as const,
      history: entry,
      recipient: { position, result: "pending" as const, ...cause, attempts: attempt, smtp },
    }));
    await database.transaction((session) => writeEvents(session, events));
  }
  return id;
}

describe("the report of a message", { skip: missingPostgresOrTime() }, () => {
  it("shows each recipient as its place and its newest event have it", async (t) => {
    const { database, client, mail } = await setUp(t);
    const at = { atMs: NOW_MS + 5, attempts: 2, dueMs: NOW_MS + 9, reason: "test", category: "network" } as const;
    const { id, seq } = await mail.add({
      createdAtMs: NOW_MS,
      deadlineMs: NOW_MS + 9,
      tags: ["a"],
      recipients: [
        { state: "new", dueMs: NOW_MS + 1 },
        { ...at, state: "pending" },
        { ...at, state: "leased", dueMs: NOW_MS + 8, atMs: NOW_MS + 7 },
        { ...at, state: "marked" },
        { ...at, state: "unknown" },
        { ...at, state: "failed" },
        { ...at, state: "delivered", email: "Bcc@a.example" },
      ],
    });
    await client.query("UPDATE recipients SET field = 'bcc' WHERE position = 6");
    await client.query("INSERT INTO quarantined VALUES ($1, $2, $3, 77, 'content', 'changed')", [seq, id, ACCOUNT]);
    const report = await reportOf(database, id);
    assert.ok(report !== null);
    const { recipients, ...message } = report;
    assert.deepEqual(message, {
      id,
      accountId: ACCOUNT,
      keyId: "key_a",
      createdAtMs: NOW_MS,
      updatedAtMs: NOW_MS + 7,
      sendAtMs: null,
      expiresAtMs: NOW_MS + 172_800_000,
      from: "news@shop.example",
      senderDomain: null,
      subject: "Hello",
      messageId: "<m@shop.example>",
      requestId: null,
      idempotencyKey: null,
      tags: ["a"],
      metadata: {},
      test: false,
      quarantined: { foundAtMs: 77, part: "content", error: "changed" },
    });
    assert.deepEqual(
      recipients.map((r) => [
        r.result,
        r.attempts,
        r.nextAttemptAtMs,
        r.failsAtMs ?? null,
        r.updatedAtMs - NOW_MS,
        r.reason,
      ]),
      [
        ["pending", 0, NOW_MS + 1, null, 0, null],
        ["pending", 2, null, NOW_MS + 9, 5, "test"],
        ["pending", 2, NOW_MS + 8, null, 7, "test"],
        ["pending", 2, null, null, 5, "test"],
        ["unknown", 2, null, null, 5, "test"],
        ["failed", 2, null, null, 5, "test"],
        ["delivered", 2, null, null, 5, null],
      ],
    );
    assert.deepEqual(
      recipients.map(({ events }) => events.map(({ type }) => type).join()),
      [
        "accepted",
        ...["deferred", "deferred", "deferred", "unknown", "failed", "delivered"].map((type) => `accepted,${type}`),
      ],
    );
    assert.deepEqual(
      [recipients[0]?.field, recipients[6]?.field, recipients[6]?.email],
      ["to", "bcc", "Bcc@a.example"],
    );
    await client.query("DELETE FROM quarantined");
    assert.equal((await reportOf(database, id))?.quarantined, undefined);
    assert.equal(await reportOf(database, "msg_\0"), null);
  });

  it("shows several whole events of a recipient if they fit into its share", async (t) => {
    const parts = await setUp(t);
    const id = await deferAll(parts, 3, { hosts: 1 });
    const complete = (await reportOf(parts.database, id))?.recipients[1]?.events ?? [];
    assert.equal(complete.length, 1 + ATTEMPTS);
    const limits = { eventsBytesMax: 3 * 10_000, repliesLengthMax: 3 * 200 };
    const [, second] = (await reportOf(parts.database, id, { limits }))?.recipients ?? [];
    const { events = [], eventsOmitted = 0 } = second ?? {};
    assert.ok(events.length > 2 && events.length < ATTEMPTS, `${events.length} events`);
    assert.equal(events.length + eventsOmitted, 1 + ATTEMPTS);
    assert.deepEqual(events.slice(1), complete.slice(1 - events.length));
    assert.equal(second?.smtp?.message, `${WORDS.slice(0, 199)}…`);
  });

  it("leaves out a history entry that cannot be decoded, and the histories beyond what may be read", async (t) => {
    const parts = await setUp(t);
    const one = await deferAll(parts, 1, { hosts: 1 });
    await parts.client.query(
      "UPDATE events SET history = '{' WHERE number = (SELECT min(number) FROM events WHERE position = 0)",
    );
    assert.equal((await reportOf(parts.database, one))?.recipients[0]?.events.length, ATTEMPTS);
    // Events of 160 kB, of which 8 MiB are read.
    const report = await reportOf(parts.database, await deferAll(parts, 60, { hosts: 40, attempts: 1 }));
    const counts = (report?.recipients ?? []).map(
      ({ events, eventsOmitted = 0 }) => `${events.length} ${eventsOmitted}`,
    );
    assert.deepEqual([...new Set(counts)], ["2 0", "1 1"]);
  });

  it("rejects a message that PostgreSQL cannot read", async (t) => {
    const { database } = await setUp(t);
    const damaged = Object.assign(new Error("invalid page in block 7"), { code: "XX001", severity: "ERROR" });
    const snapshot = () => Promise.reject(damaged);
    await assert.rejects(reportOf(Object.assign(database, { snapshot }), "msg_x"), MessageDamaged);
  });
});
