/** What makes a quarantined message unreadable. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import pg from "pg";
import type { Session } from "../../../../../src/spool/engine/postgres/connection/statement.ts";
import { checkMessage } from "../../../../../src/spool/engine/postgres/quarantine/message-check.ts";
import { MessageDamaged } from "../../../../../src/spool/port/errors.ts";
import { missingPostgresOrTime } from "../../../../support/postgres/installation.ts";
import { StoredMail } from "../../../../support/postgres/stored-mail.ts";
import { twoNodes } from "../../../../support/postgres/two-nodes.ts";
import { NOW_MS } from "../../../port/conformance/store-suite.ts";

const CONTENT = [Buffer.alloc(10, "a"), Buffer.alloc(5, "b"), Buffer.alloc(5, "c")];

describe("the check of a message", { skip: missingPostgresOrTime() }, () => {
  it("reads all parts of the content, and returns its size", async (t) => {
    const { nodes, client } = await twoNodes(t);
    const recipients = [{ state: "new" as const }];
    const { seq } = await new StoredMail(nodes[0]).add({ createdAtMs: NOW_MS, recipients, content: CONTENT });
    assert.equal(await checkMessage(nodes[0], seq), 20);
    await client.query("UPDATE contents SET content = 'bbbbB' WHERE part = 1");
    await assert.rejects(checkMessage(nodes[0], seq), /part 1 of the content does not match its checksum/);
    await client.query("DELETE FROM contents WHERE part = 1");
    await assert.rejects(checkMessage(nodes[0], seq), MessageDamaged);
  });

  it("finds a missing message and a missing recipient", async (t) => {
    const { nodes, client } = await twoNodes(t);
    const recipients = [{ state: "unknown" as const }, { state: "delivered" as const }];
    const { seq } = await new StoredMail(nodes[0]).add({ createdAtMs: NOW_MS, recipients, content: CONTENT });
    await client.query("DELETE FROM recipients WHERE position = 1");
    assert.equal(await checkMessage(nodes[0], seq), 20, "a final recipient is not needed");
    await client.query("DELETE FROM recipients");
    await assert.rejects(checkMessage(nodes[0], seq), /recipient 0 is missing/);
    await client.query("DELETE FROM messages");
    await assert.rejects(checkMessage(nodes[0], seq), /the message is missing/);
  });
});

it("a page that the server cannot read is damage of the message, and no other error is", async () => {
  const failing = (code: string): Session => {
    const error = Object.assign(new pg.DatabaseError("invalid page", 0, "error"), { code, severity: "ERROR" });
    return { run: () => Promise.reject(error) };
  };
  await assert.rejects(checkMessage(failing("XX001"), 1), MessageDamaged);
  await assert.rejects(checkMessage(failing("42P01"), 1), pg.DatabaseError);
});
