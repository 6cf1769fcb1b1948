/** What is stored of a message that does not pass: nothing, also where its number belongs to another message. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { newMessage, recipientsAt } from "../../../../support/messages.ts";
import { missingPostgresOrTime } from "../../../../support/postgres/installation.ts";
import { type OpenMail, openMail } from "../../../../support/postgres/mail-store.ts";
import { NOW_MS } from "../../../port/conformance/suite.ts";

async function events({ client }: OpenMail): Promise<string[]> {
  const { rows } = await client.query("SELECT type FROM events ORDER BY number");
  return rows.map(({ type }) => type);
}

describe("a message that does not pass", { skip: missingPostgresOrTime() }, () => {
  it("adds no event to the message that has its number", async (t) => {
    const open = await openMail(t);
    const idempotency = { key: "order 7", payloadHash: "same" };
    const first = newMessage({ createdAtMs: NOW_MS, idempotency });
    assert.deepEqual(await open.mail.accept(first), { type: "accepted", id: first.id });
    // Numbers begin again, as those of a node with the same slot would.
    open.mail.dropHeld();
    const repeated = newMessage({ createdAtMs: NOW_MS, idempotency });
    assert.deepEqual(await open.mail.accept(repeated), { type: "replayed", id: first.id });
    assert.deepEqual(await events(open), ["message.accepted"]);
    const other = newMessage({ createdAtMs: NOW_MS, recipients: recipientsAt("other.example", 1) });
    open.mail.dropHeld();
    assert.deepEqual(await open.mail.accept(other), { type: "accepted", id: other.id });
    assert.deepEqual(await events(open), ["message.accepted", "message.accepted"]);
  });
});
