/** Contents in parts, and what may be wrong with them. */
import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import { Database } from "../../../../../src/spool/engine/postgres/connection/database.ts";
import { readContent } from "../../../../../src/spool/engine/postgres/mail/content-reads.ts";
import { MessageDamaged } from "../../../../../src/spool/port/errors.ts";
import { freshDatabase } from "../../../../support/postgres/fresh-database.ts";
import { missingPostgresOrTime } from "../../../../support/postgres/installation.ts";
import { StoredMail } from "../../../../support/postgres/stored-mail.ts";

const CONTENT = ["Subject: Hello\r\n\r\n", "second part\r\n", "third part\r\n"].map((text) => Buffer.from(text));

async function setUp(t: TestContext, content: Buffer[] | null = CONTENT) {
  const { url, connect } = await freshDatabase(t);
  const database = new Database({ connectionString: url });
  t.after(() => database.close());
  const mail = new StoredMail(database);
  const { seq, id: messageId } = await mail.add({
    createdAtMs: 1_700_000_000_000,
    content,
    recipients: [{ state: "new" }],
  });
  return { database, client: await connect(), mail, key: { seq, messageId } };
}

/** What may be wrong with a content whose message is $1. */
const DAMAGE: Record<string, string> = {
  "another byte of the first part": "UPDATE contents SET content = set_byte(content, 3, 0) WHERE seq = $1 AND part = 0",
  "another byte of a later part": "UPDATE contents SET content = set_byte(content, 3, 0) WHERE seq = $1 AND part = 2",
  "fewer parts": "UPDATE contents SET later_parts = 1 WHERE seq = $1 AND part = 0",
  "one part alone": "UPDATE contents SET later_parts = NULL WHERE seq = $1 AND part = 0",
  "another body hash": "UPDATE contents SET body_hash = 'x' WHERE seq = $1 AND part = 0",
  "no first part": "DELETE FROM contents WHERE seq = $1 AND part = 0",
  "no later part": "DELETE FROM contents WHERE seq = $1 AND part = 1",
  "parts in another order": `UPDATE contents SET part = part + 10 WHERE seq = $1 AND part > 0`,
  "another message's part":
    "UPDATE contents c SET content = o.content, crc32 = o.crc32 FROM contents o WHERE c.seq = $1 AND o.seq <> $1 AND c.part = 1 AND o.part = 1",
};

describe("a content", { skip: missingPostgresOrTime() }, () => {
  it("is read in its parts, by the message's number or id", async (t) => {
    const { database, key } = await setUp(t);
    for (const known of [key, { ...key, seq: null }]) {
      const { first, laterParts, part, bodyHash } = await readContent(database, known);
      assert.deepEqual([first, laterParts, bodyHash], [CONTENT[0], 2, null]);
      assert.deepEqual([await part(1), await part(2)], CONTENT.slice(1));
    }
  });

  it("that is missing, or whose message is, is damaged", async (t) => {
    const { database, key } = await setUp(t, null);
    await assert.rejects(readContent(database, key), new MessageDamaged("the content is missing"));
    await assert.rejects(
      readContent(database, { seq: null, messageId: "msg_x" }),
      new MessageDamaged("the message is missing"),
    );
  });

  for (const [name, sql] of Object.entries(DAMAGE)) {
    it(`with ${name} is not read as a whole`, async (t) => {
      const { database, client, mail, key } = await setUp(t);
      const other = [...CONTENT.slice(0, 1), Buffer.from("another part\r\n"), Buffer.from("x")];
      await mail.add({ createdAtMs: 1_700_000_000_000, content: other, recipients: [{ state: "new" }] });
      assert.equal((await client.query(sql, [key.seq])).rowCount ?? 0, name.includes("order") ? 2 : 1);
      await assert.rejects(async () => {
        const { laterParts, part } = await readContent(database, key);
        for (let number = 1; number <= laterParts; number += 1) await part(number);
      }, MessageDamaged);
    });
  }
});
