/** The end of the pause after a restore: what is held, in which steps, and what a second operator finds. */
import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import { resumeDelivery } from "../../../../../src/spool/engine/postgres/accounts/restore-hold.ts";
import { PAUSE_ENTRY, UNREADABLE_PAUSE } from "../../../../../src/spool/port/delivery-pause.ts";
import { HOUR_MS } from "../../../../support/messages.ts";
import { missingPostgresOrTime } from "../../../../support/postgres/installation.ts";
import { MARK, StoredMail } from "../../../../support/postgres/stored-mail.ts";
import { twoNodes } from "../../../../support/postgres/two-nodes.ts";
import { NOW_MS } from "../../../port/conformance/store-suite.ts";

const LATER_MS = NOW_MS + HOUR_MS;
const HOLD = { nowMs: LATER_MS, waiting: "hold" } as const;
const SEND = { nowMs: LATER_MS, waiting: "send" } as const;

describe("the pause after a restore", { skip: missingPostgresOrTime() }, () => {
  const open = async (t: TestContext) => {
    const { nodes, client, meet } = await twoNodes(t);
    const held: string[][] = [];
    return {
      nodes,
      client,
      meet,
      held,
      mail: new StoredMail(nodes[0]),
      pause: (text: string) => client.query("INSERT INTO key_values VALUES ($1, $2)", [PAUSE_ENTRY, text]),
      resume: (request: typeof HOLD | typeof SEND, node = nodes[0]) =>
        resumeDelivery(node, request, (events) => held.push([...new Set(events.map(({ accountId }) => accountId))])),
    };
  };
  const pauseText = (newestSeq: number): string => JSON.stringify({ backupAtMs: NOW_MS, newestSeq });

  it("ends with what waited in the backup unknown, whoever leased it then, except for marked recipients", async (t) => {
    const { mail, pause, resume, held } = await open(t);
    const states = ["new", "pending", "leased", "marked", "delivered", "unknown"] as const;
    const { seq } = await mail.add({ createdAtMs: NOW_MS, recipients: states.map((state) => ({ state })) });
    const other = await mail.add({ createdAtMs: NOW_MS, accountId: "acc_other", recipients: [{ state: "new" }] });
    const later = await mail.add({ createdAtMs: LATER_MS, recipients: [{ state: "new" }] });
    await pause(pauseText(other.seq));
    assert.deepEqual(await resume(HOLD), { unknown: 4, unreadable: 0 });
    assert.deepEqual(
      (await mail.work()).map((row) => [row.seq, row.position, row.mark]),
      [
        [seq, 3, MARK],
        [later.seq, 0, null],
      ],
    );
    assert.deepEqual(
      (await mail.unknown()).filter(({ owner }) => owner === null),
      [0, 1, 2]
        .map((position) => ({ seq, position, atMs: LATER_MS, owner: null }))
        .concat({
          seq: other.seq,
          position: 0,
          atMs: LATER_MS,
          owner: null,
        }),
    );
    assert.deepEqual(
      held.map((accounts) => accounts.sort()),
      [["acc_default", "acc_other"]],
    );
    const event = (await mail.events(other.seq)).at(-1);
    assert.deepEqual(
      [event?.type, event?.result, event?.reason, event?.attempts],
      ["recipient.unknown", "unknown", "restored_from_backup", 0],
    );
    assert.equal(await resume(HOLD), null);
  });

  it("holds many recipients in several steps", async (t) => {
    const { mail, pause, resume, held } = await open(t);
    const recipients = Array.from({ length: 501 }, () => ({ state: "new" as const }));
    await mail.add({ createdAtMs: NOW_MS, recipients });
    await pause(UNREADABLE_PAUSE);
    assert.deepEqual(await resume(HOLD), { unknown: 501, unreadable: 0 });
    assert.equal(held.length, 2);
    assert.deepEqual(await mail.work(), []);
  });

  it("ends with everything due as before, if it is to be sent", async (t) => {
    const { mail, pause, resume } = await open(t);
    await mail.add({ createdAtMs: NOW_MS, recipients: [{ state: "pending" }] });
    await pause(pauseText(Number.MAX_SAFE_INTEGER));
    assert.deepEqual(await resume(SEND), { unknown: 0, unreadable: 0 });
    assert.deepEqual(
      (await mail.work()).map(({ dueMs }) => dueMs),
      [NOW_MS],
    );
  });

  it("is ended by one of two operators", async (t) => {
    const { nodes, meet, mail, pause, resume } = await open(t);
    await mail.add({ createdAtMs: NOW_MS, recipients: [{ state: "pending" }] });
    await pause(pauseText(Number.MAX_SAFE_INTEGER));
    const resumed = await meet("SELECT * FROM key_values FOR UPDATE", [
      () => resume(HOLD, nodes[0]),
      () => resume(SEND, nodes[1]),
    ]);
    assert.equal(resumed.filter((result) => result === null).length, 1);
    const [first] = resumed;
    assert.equal((await mail.unknown()).length, first?.unknown ?? 0);
  });
});
