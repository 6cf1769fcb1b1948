/** What follows the commit of interventions in the queue and in the quarantine. */
import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import { quarantineOperations, queueOperations } from "../../../../../src/spool/engine/postgres/decide/operations.ts";
import { addToQuarantine } from "../../../../../src/spool/engine/postgres/quarantine/quarantine.ts";
import { PAUSE_ENTRY, UNREADABLE_PAUSE } from "../../../../../src/spool/port/delivery-pause.ts";
import { HOUR_MS } from "../../../../support/messages.ts";
import { missingPostgresOrTime } from "../../../../support/postgres/installation.ts";
import { StoredMail } from "../../../../support/postgres/stored-mail.ts";
import { twoNodes } from "../../../../support/postgres/two-nodes.ts";
import { NOW_MS } from "../../../port/conformance/store-suite.ts";

const LATER_MS = NOW_MS + HOUR_MS;

describe("an intervention", { skip: missingPostgresOrTime() }, () => {
  const open = async (t: TestContext) => {
    const { nodes, client } = await twoNodes(t);
    const mail = new StoredMail(nodes[0]);
    const recipients = [{ state: "pending" as const, dueMs: LATER_MS + HOUR_MS }];
    const { seq, id } = await mail.add({ createdAtMs: NOW_MS, recipients });
    const notes: unknown[] = [];
    const onDue = (dueMs: number): void => void notes.push(["due", dueMs]);
    const operations = queueOperations(nodes[0], {
      onDue,
      onEvents: (accountIds) => notes.push(["events", ...accountIds]),
    });
    const { recheckQuarantined } = quarantineOperations(nodes[0], {
      onDue,
      onChanged: () => assert.fail(),
      discards: { discardQuarantined: () => assert.fail() },
    });
    return { nodes, client, seq, id, notes, operations, recheckQuarantined };
  };

  it("announces as due what a recheck of the quarantine releases", async (t) => {
    const { nodes, notes, seq, id, recheckQuarantined } = await open(t);
    const step = { after: 0, limit: 10, bytesMax: 1000, nowMs: LATER_MS, result: "unknown" } as const;
    assert.deepEqual([(await recheckQuarantined(step)).released, notes], [[], []]);
    await addToQuarantine(nodes[0], [{ seq, part: "content", error: new Error("damaged") }], NOW_MS);
    assert.deepEqual([(await recheckQuarantined(step)).released, notes], [[id], [["due", LATER_MS]]]);
  });

  it("announces the moment at which a shortened wait ends, and the end of a pause", async (t) => {
    const { operations, notes, client } = await open(t);
    const step = { nowMs: NOW_MS, longestMs: [0, 60_000], after: null, limit: 10 };
    assert.deepEqual(await operations.shortenWaits(step), { recipients: 1, next: null });
    assert.equal(await operations.resumeDelivery({ nowMs: LATER_MS, waiting: "hold" }), null);
    await client.query("INSERT INTO key_values VALUES ($1, $2)", [PAUSE_ENTRY, UNREADABLE_PAUSE]);
    await operations.resumeDelivery({ nowMs: LATER_MS, waiting: "hold" });
    assert.deepEqual(notes, [
      ["due", NOW_MS + 60_000],
      ["events", "acc_default"],
      ["due", LATER_MS],
    ]);
  });
});
