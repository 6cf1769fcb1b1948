/** Which quarantined messages are released without an operator. */
import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import { addToQuarantine, quarantineReport } from "../../../../../src/spool/engine/postgres/quarantine/quarantine.ts";
import { recheckQuarantined } from "../../../../../src/spool/engine/postgres/quarantine/quarantine-rechecks.ts";
import { HOUR_MS } from "../../../../support/messages.ts";
import { missingPostgresOrTime } from "../../../../support/postgres/installation.ts";
import { StoredMail } from "../../../../support/postgres/stored-mail.ts";
import { twoNodes } from "../../../../support/postgres/two-nodes.ts";
import { NOW_MS } from "../../../port/conformance/store-suite.ts";

const DAY_MS = 24 * HOUR_MS;
const STEP = { after: 0, limit: 10, bytesMax: 1000, nowMs: NOW_MS };

describe("a recheck of the quarantine", { skip: missingPostgresOrTime() }, () => {
  const open = async (t: TestContext) => {
    const { nodes, client } = await twoNodes(t);
    const mail = new StoredMail(nodes[0]);
    const messages: { seq: number; id: string }[] = [];
    for (let i = 0; i < 3; i += 1) {
      messages.push(
        await mail.add({ createdAtMs: NOW_MS, recipients: [{ state: "pending" }], content: [Buffer.alloc(100)] }),
      );
    }
    const find = (atMs: number) =>
      addToQuarantine(
        nodes[0],
        messages.map(({ seq }) => ({ seq, part: "content" as const, error: new Error("damaged") })),
        atMs,
      );
    const damage = ({ seq }: { seq: number }) =>
      client.query("UPDATE contents SET crc32 = -crc32 WHERE seq = $1", [seq]);
    const recheck = (step: Partial<typeof STEP> = {}) => recheckQuarantined(nodes[0], { ...STEP, ...step });
    const ids = messages.map(({ id }) => id);
    return { nodes, messages, ids, damage, find, recheck };
  };

  it("releases those that can be read again, in steps", async (t) => {
    const { messages, ids, damage, find, recheck } = await open(t);
    const [first, second, third] = messages;
    assert.ok(first && second && third);
    await find(NOW_MS);
    await damage(first);
    assert.deepEqual(await recheck({ limit: 2 }), { released: [ids[1]], next: second.seq });
    assert.deepEqual(await recheck({ limit: 2, after: second.seq }), { released: [ids[2]], next: null });
    await damage(first);
    assert.deepEqual(await recheck(), { released: [ids[0]], next: null });
  });

  it("ends a step once enough content was read", async (t) => {
    const { messages, ids, find, recheck } = await open(t);
    await find(NOW_MS);
    assert.deepEqual(await recheck({ bytesMax: 200 }), { released: ids.slice(0, 2), next: messages[1]?.seq });
  });

  it("leaves those to the operator that are found damaged again within a day", async (t) => {
    const { nodes, ids, find, recheck } = await open(t);
    await find(NOW_MS);
    assert.deepEqual((await recheck()).released, ids);
    await find(NOW_MS + 1);
    assert.deepEqual((await recheck({ nowMs: NOW_MS + DAY_MS - 1 })).released, []);
    assert.equal((await quarantineReport(nodes[1], 0)).count, 3);
    assert.deepEqual((await recheck({ nowMs: NOW_MS + DAY_MS })).released, ids);
  });
});
