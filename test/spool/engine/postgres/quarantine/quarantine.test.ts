/** The quarantine: what enters it, its report, and its release. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  addToQuarantine,
  isQuarantined,
  quarantineReport,
  releaseQuarantined,
} from "../../../../../src/spool/engine/postgres/quarantine/quarantine.ts";
import { recheckQuarantined } from "../../../../../src/spool/engine/postgres/quarantine/quarantine-rechecks.ts";
import { missingPostgresOrTime } from "../../../../support/postgres/installation.ts";
import { StoredMail } from "../../../../support/postgres/stored-mail.ts";
import { twoNodes } from "../../../../support/postgres/two-nodes.ts";
import { NOW_MS } from "../../../port/conformance/store-suite.ts";
import { DAY_MS } from "../../../port/conformance/suite.ts";

const damage = (seq: number, text = "damaged") => ({ seq, part: "content" as const, error: new Error(text) });

describe("the quarantine", { skip: missingPostgresOrTime() }, () => {
  it("reports the newest messages, as far as they can be named", async (t) => {
    const { nodes } = await twoNodes(t);
    const { seq, id } = await new StoredMail(nodes[0]).add({ createdAtMs: NOW_MS, recipients: [{ state: "new" }] });
    await addToQuarantine(nodes[0], [damage(seq, "a\0b")], NOW_MS);
    await addToQuarantine(nodes[1], [damage(1)], NOW_MS + 1);
    const known = {
      seq,
      messageId: id,
      accountId: "acc_default",
      foundAtMs: NOW_MS,
      part: "content",
      error: "a\uFFFDb",
    };
    const unnamed = {
      seq: 1,
      messageId: null,
      accountId: null,
      foundAtMs: NOW_MS + 1,
      part: "content",
      error: "damaged",
    };
    assert.deepEqual(await quarantineReport(nodes[0], 10), { count: 2, messages: [unnamed, known], places: [] });
    assert.deepEqual(await quarantineReport(nodes[0], 1), { count: 2, messages: [unnamed], places: [] });
  });

  it("keeps what was found first, and ends with the release", async (t) => {
    const { nodes } = await twoNodes(t);
    await addToQuarantine(nodes[0], [damage(1, "first")], NOW_MS);
    await addToQuarantine(nodes[0], [damage(1, "second"), damage(2)], NOW_MS + 1);
    const { messages } = await quarantineReport(nodes[0], 10);
    assert.deepEqual(
      messages.map(({ seq, error, foundAtMs }) => [seq, error, foundAtMs]),
      [
        [2, "damaged", NOW_MS + 1],
        [1, "first", NOW_MS],
      ],
    );
    await releaseQuarantined(nodes[1], [1, 3]);
    assert.deepEqual([await isQuarantined(nodes[0], 1), await isQuarantined(nodes[0], 2)], [false, true]);
  });

  it("keeps a message that is found damaged again within a day of its release", async (t) => {
    const { nodes } = await twoNodes(t);
    const { seq, id } = await new StoredMail(nodes[0]).add({ createdAtMs: NOW_MS, recipients: [{ state: "new" }] });
    const released = async (atMs: number) => {
      await addToQuarantine(nodes[0], [damage(seq)], atMs);
      return (await recheckQuarantined(nodes[1], { after: 0, limit: 9, bytesMax: 1000, nowMs: atMs })).released;
    };
    assert.deepEqual(await released(NOW_MS), [id]);
    assert.deepEqual(await released(NOW_MS + DAY_MS - 1), []);
    assert.deepEqual(await released(NOW_MS + DAY_MS), [id]);
  });
});
