/** Which messages of a day a scan keeps, and what it finds that has changed since. */
import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import { writeEvents } from "../../../../../src/spool/engine/postgres/mail/event-writer.ts";
import { firstNumberAt } from "../../../../../src/spool/engine/postgres/mail/message-number.ts";
import { DayScan, KEPT_MAX } from "../../../../../src/spool/engine/postgres/partitions/day-scan.ts";
import { missingPostgresOrTime } from "../../../../support/postgres/installation.ts";
import { StoredMail, type StoredRecipient } from "../../../../support/postgres/stored-mail.ts";
import { twoNodes } from "../../../../support/postgres/two-nodes.ts";

const DAY_MS = 86_400_000;
const DAY = 20_000;
const START_MS = DAY * DAY_MS;
const LIMIT_MS = START_MS + 10 * DAY_MS;

describe("the scan of a day", { skip: missingPostgresOrTime() }, () => {
  const open = async (t: TestContext) => {
    const { nodes, client } = await twoNodes(t);
    const mail = new StoredMail(nodes[0]);
    const add = async (recipients: StoredRecipient[], createdAtMs = START_MS, accountId = "acc_default") =>
      (await mail.add({ createdAtMs, accountId, recipients })).seq;
    /** Adds an event of a domain, or of a message's first recipient. */
    const addEvent = (seq: number, atMs: number, domain?: string) =>
      nodes[1].transaction((session) =>
        writeEvents(session, [
          {
            seq,
            accountId: "acc_default",
            atMs,
            type: "domain.lost",
            recipient: null,
            history: null,
            ...(domain === undefined ? {} : { domain }),
          },
        ]),
      );
    const scan = new DayScan(DAY, LIMIT_MS);
    return { node: nodes[0], client, add, addEvent, scan };
  };

  it("keeps messages that are not final or became so since the limit, and events of domains likewise", async (t) => {
    const { node, add, addEvent, scan } = await open(t);
    const final = [{ state: "delivered" }, { state: "failed", atMs: LIMIT_MS - 1 }] as const;
    await add([...final]);
    const kept = [
      await add([...final, { state: "pending" }]),
      await add([{ state: "unknown" }], START_MS + DAY_MS - 1),
      await add([...final, { state: "delivered", atMs: LIMIT_MS }], START_MS, "acc_other"),
      firstNumberAt(START_MS + 5),
    ];
    await addEvent(kept.at(-1) ?? 0, LIMIT_MS, "shop.example");
    await addEvent(firstNumberAt(START_MS + 6), LIMIT_MS - 1, "shop.example");
    // Of the days before and after.
    await add([{ state: "pending" }], START_MS - 1);
    await add([{ state: "pending" }], START_MS + DAY_MS);
    assert.equal(await scan.step(node), "complete");
    const now = await scan.keptNow(node);
    assert.ok(now !== "too_many");
    assert.deepEqual(
      now.seqs,
      kept.toSorted((a, b) => a - b),
    );
    assert.equal(scan.messages, 4);
  });

  it("finds what has changed since, also behind the place that it has reached", async (t) => {
    const { node, client, add, addEvent, scan } = await open(t);
    const [early, changed] = [await add([{ state: "failed" }]), await add([{ state: "failed" }])];
    await scan.step(node);
    await addEvent(changed, START_MS);
    await client.query("INSERT INTO work VALUES ($1, 0, 'acc_default', 'a.example', 0, 1)", [early]);
    const other = await add([{ state: "delivered" }], START_MS, "acc_new");
    const now = await scan.keptNow(node);
    assert.ok(now !== "too_many");
    assert.deepEqual(now.seqs, [early, changed, other]);
    assert.deepEqual(
      now.numbers.map(({ accountId, seq }) => [accountId, seq]),
      [
        ["acc_default", changed],
        ["acc_new", other],
      ],
    );
  });

  it("goes on in steps, and counts each message once", async (t) => {
    const { node, client, add, scan } = await open(t);
    const late = await add([{ state: "delivered", atMs: LIMIT_MS }], START_MS + DAY_MS - 1);
    await client.query(
      `INSERT INTO events (seq, number, account_id, id, at_ms, type)
         SELECT $1::bigint + i / 4, nextval('event_numbers'), 'acc_default', 'evt', $2,
                CASE WHEN i % 4 = 0 THEN 'message.accepted' ELSE 'recipient.deferred' END
           FROM generate_series(0, 39999) AS i`,
      [firstNumberAt(START_MS), START_MS],
    );
    assert.deepEqual(
      [await scan.step(node), await scan.step(node), await scan.step(node), await scan.step(node)],
      ["under_way", "under_way", "complete", "complete"],
    );
    const now = await scan.keptNow(node);
    assert.ok(now !== "too_many");
    assert.deepEqual([now.seqs, scan.messages], [[late], 10_001]);
  });

  it("ends early with too many messages to keep, or finds that there are too many now", async (t) => {
    const { node, client, add, scan } = await open(t);
    const first = await add([{ state: "failed" }]);
    await scan.step(node);
    const addWork = `INSERT INTO work SELECT $1::bigint + i, 0, 'acc_default', 'a.example', 0, 1 FROM generate_series(1, $2::int) AS i`;
    await client.query(addWork, [first, KEPT_MAX]);
    assert.equal(((await scan.keptNow(node)) as { seqs: number[] }).seqs.length, KEPT_MAX);
    await client.query("INSERT INTO work VALUES ($1, 0, 'acc_default', 'a.example', 0, 1)", [first]);
    assert.equal(await scan.keptNow(node), "too_many");
    const second = new DayScan(DAY, LIMIT_MS);
    assert.equal(await second.step(node), "too_many");
  });
});
