/** docs/API.md against the schemas: its tables have every field, parameter and permission, and the limits of these. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { FEED_QUERY } from "../../src/http/list-events.ts";
import { LIST_QUERY } from "../../src/http/list-messages.ts";
import { openApiDocument } from "../../src/http/openapi.ts";
import { BATCH_MAX } from "../../src/message/compose/draft-batch.ts";
import { sendRequestSchema } from "../../src/message/send-request/send-request-schema.ts";
import { SEND_AHEAD_DAYS_MAX } from "../../src/message/send-time.ts";
import { PERMISSIONS } from "../../src/spool/port/api-keys.ts";
import { firstCells, partUnder } from "./markdown.ts";

const DOCUMENT = readFileSync(new URL("../../docs/API.md", import.meta.url), "utf8");
const FIELDS = partUnder(DOCUMENT, "Send a message");

test("the table has every field of a send request, and no other", () => {
  assert.deepEqual(firstCells(FIELDS).toSorted(), Object.keys(sendRequestSchema.properties).toSorted());
});

test("the limits of the fields are those of the schema", () => {
  const { reply_to, subject, headers, attachments, tags, metadata } = sendRequestSchema.properties;
  const stated = {
    reply_to: [`at most ${reply_to.maxItems}`],
    subject: [`${subject.maxLength} characters`],
    headers: [`at most ${headers.maxProperties} names`],
    attachments: [`at most ${attachments.maxItems} `],
    tags: [`at most ${tags.maxItems} strings of up to ${tags.items.maxLength} characters`],
    metadata: [
      `at most ${metadata.maxProperties} strings`,
      `names up to ${metadata.propertyNames.maxLength} characters, values up to ${metadata.additionalProperties.maxLength}`,
    ],
    send_at: [`at most ${SEND_AHEAD_DAYS_MAX} days ahead`],
  };
  for (const [field, limits] of Object.entries(stated)) {
    const row = FIELDS.split("\n").find((line) => line.startsWith(`| \`${field}\` |`)) ?? "";
    for (const limit of limits) assert.ok(row.includes(limit), `${limit}: ${row}`);
  }
  assert.ok(partUnder(DOCUMENT, "Several messages in one request").includes(`1 to ${BATCH_MAX} messages`));
});

test("the parameters of lists and of the feed are there, and no other", () => {
  for (const [heading, query] of [
    ["List messages", LIST_QUERY],
    ["Follow events", FEED_QUERY],
  ] as const)
    assert.deepEqual(firstCells(partUnder(DOCUMENT, heading)).toSorted(), Object.keys(query).toSorted());
});

test("the permissions are those that a key can have", () => {
  const listed = firstCells(partUnder(DOCUMENT, "What a key may do"));
  assert.deepEqual(listed.toSorted(), [...PERMISSIONS].toSorted());
});

/** What needs no explanation. */
const PLAIN = ["email", "attempts", "updated_at", "events_omitted"];

test("the fields of a recipient are there, and no other", () => {
  const { components } = openApiDocument() as unknown as {
    components: { schemas: { Recipient: { properties: object } } };
  };
  const fields = Object.keys(components.schemas.Recipient.properties).filter((name) => !PLAIN.includes(name));
  const part = partUnder(DOCUMENT, "Look up a message");
  assert.deepEqual(firstCells(part).toSorted(), fields.toSorted());
});
