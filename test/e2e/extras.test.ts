/** Copies, header fields, attachments, tags, metadata and expiry, from the request to the receiver and the lookup. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { headerField } from "../../src/testing/sink/header.ts";
import type { SinkEntry } from "../../src/testing/sink/mailbox.ts";
import { partOf, valuesOf } from "../support/mime.ts";
import { RECIPIENT_DOMAIN, sendBody, startWorld, type World } from "../support/world.ts";
import { fieldsOf, problemOf } from "./problem.ts";

interface Report {
  message_id: string;
  created_at: string;
  expires_at: string;
  tags: string[];
  metadata: Record<string, string>;
  recipients: {
    email: string;
    field: string;
    result: string;
    reason: string | null;
    attempts: number;
    next_attempt_at: string | null;
    updated_at: string;
    smtp: { code: number } | null;
    events: { next_attempt_at?: string | null }[];
  }[];
}

interface Sent {
  report: Report;
  entries: SinkEntry[];
  contents: Buffer[];
}

const at = (local: string): string => `${local}@${RECIPIENT_DOMAIN}`;

/** Sends and waits for the results. Returns the message as the API and the sink have it. */
async function sent(world: World, parts: Record<string, unknown>): Promise<Sent> {
  const response = await world.post(sendBody(parts));
  assert.equal(response.status, 202, await response.clone().text());
  const { id } = (await response.json()) as { id: string };
  const report = (await (await world.lookUp(id, "?wait=20")).json()) as Report;
  const entries = world.sink.entries.filter((entry) => entry.message_id === report.message_id);
  const dir = join(dirname(world.env.DATA_DIR ?? ""), "sink");
  return { report, entries, contents: entries.map(({ file }) => readFileSync(join(dir, file ?? ""))) };
}

const tagOf = (field: string, name: string): string =>
  (new RegExp(`\\b${name}=([^;]+)`).exec(field)?.[1] ?? "").replace(/\s/g, "").toLowerCase();

test("optional parts of a message", { timeout: 60_000 }, async (t) => {
  const world = await startWorld(t, { MESSAGE_BYTES_MAX: "200000", RECIPIENTS_MAX: "4", QUOTA_DAILY: "60" });

  await t.test(
    "each recipient of a copy gets the message and its own result, and blind copies appear nowhere in it",
    async () => {
      const parts = { to: at("ann"), cc: `Cy <${at("cy")}>`, bcc: [at("eve"), at("5xx-550")] };
      const { report, entries, contents } = await sent(world, parts);
      assert.deepEqual(
        report.recipients.map(({ email, field, result }) => [email, field, result]),
        [
          [at("ann"), "to", "delivered"],
          [at("cy"), "cc", "delivered"],
          [at("eve"), "bcc", "delivered"],
          [at("5xx-550"), "bcc", "failed"],
        ],
      );
      assert.deepEqual(entries.flatMap(({ rcpt_to }) => rcpt_to).sort(), [at("ann"), at("cy"), at("eve")]);
      for (const content of contents) {
        assert.equal(headerField(content, "Cc"), `Cy <${at("cy")}>`);
        assert.deepEqual(valuesOf(content, "Bcc"), []);
        assert.doesNotMatch(content.toString(), /eve@|5xx-550/);
      }
    },
  );

  await t.test("copies count towards the recipient limit and the quota", async () => {
    const over = { to: [at("a"), at("b")], cc: at("c"), bcc: [at("d"), at("e")] };
    await problemOf(await world.post(sendBody(over)), 400, "too_many_recipients");
    const accountId = (await world.service.registry.accountNamed("default"))?.id ?? "";
    const used = () => world.service.registry.quotaUsed(accountId, Date.now());
    const before = await used();
    await sent(world, { to: at("a"), cc: at("b"), bcc: at("c") });
    assert.equal((await used()) - before, 3);
  });

  await t.test("delivers header fields and signs those for unsubscribing", async () => {
    const headers = {
      "List-Unsubscribe": `<https://shop.example/u?${"x".repeat(150)}>, <mailto:u@shop.example>`,
      "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
      "X-Order": "Größe 42",
    };
    const { entries, contents } = await sent(world, { headers, reply_to: ["help@shop.example", "b@shop.example"] });
    const [content = Buffer.alloc(0)] = contents;
    assert.equal(headerField(content, "List-Unsubscribe"), headers["List-Unsubscribe"]);
    assert.equal(headerField(content, "X-Order"), "Größe 42");
    assert.equal(headerField(content, "Reply-To"), "help@shop.example, b@shop.example");
    assert.equal(entries[0]?.dkim.result, "pass");
    const signed = tagOf(valuesOf(content, "DKIM-Signature")[0] ?? "", "h").split(":");
    for (const name of ["list-unsubscribe", "list-unsubscribe-post", "reply-to"])
      assert.ok(signed.includes(name), name);
  });

  await t.test("delivers attachments and inline images byte for byte, signed", async () => {
    const png = Buffer.from(Array.from({ length: 50_000 }, (_, i) => (i * 31) % 256));
    const { entries, contents } = await sent(world, {
      html: '<p>Hi <img src="cid:logo"></p>',
      attachments: [
        { filename: "Rechnung März.pdf", content: Buffer.from("%PDF-1.7 Ä").toString("base64") },
        { filename: "logo.png", content: png.toString("base64"), content_id: "logo" },
      ],
    });
    assert.equal(entries[0]?.dkim.result, "pass");
    const [content = Buffer.alloc(0)] = contents;
    const [alternative, pdf] = partOf(content).parts;
    assert.equal(pdf?.type, "application/pdf");
    assert.equal(pdf?.content.toString(), "%PDF-1.7 Ä");
    assert.match(pdf?.fields.get("content-disposition") ?? "", /filename\*0\*=utf-8''Rechnung%20M%C3%A4rz\.pdf/);
    const image = alternative?.parts[1]?.parts[1];
    assert.equal(image?.fields.get("content-id"), "<logo>");
    assert.deepEqual(image?.content, png);
  });

  await t.test(
    "attachments count in base64 towards the message size limit, and the request limit fits them",
    async () => {
      const bodyWith = (bytes: number): string => {
        const content = Buffer.alloc(bytes).toString("base64").replace(/.{76}/g, "$&\n");
        return JSON.stringify(sendBody({ attachments: [{ filename: "a.bin", content }] }));
      };
      const fits = await world.post(bodyWith(145_000));
      assert.equal(fits.status, 202);
      const tooLarge = bodyWith(145_800);
      assert.ok(tooLarge.length < 200_000);
      await problemOf(await world.post(tooLarge), 413, "body_too_large");
    },
  );

  await t.test("the lookup returns tags and metadata, which are not part of the message", async () => {
    const notes = { tags: ["welcome", "grün"], metadata: { order: "1042-secret", größe: "42" } };
    const { report, contents } = await sent(world, notes);
    assert.deepEqual(report.tags, notes.tags);
    assert.deepEqual(report.metadata, notes.metadata);
    assert.doesNotMatch(contents.join(""), /welcome|1042-secret/);
    const plain = await sent(world, {});
    assert.deepEqual([plain.report.tags, plain.report.metadata], [[], {}]);
  });

  await t.test("expires_in sets when the message expires, at most RETRY_MAX_AGE", async () => {
    const livesMs = async (expires_in?: unknown): Promise<number> => {
      const { report } = await sent(world, { expires_in });
      return Date.parse(report.expires_at) - Date.parse(report.created_at);
    };
    assert.equal(await livesMs(90), 90_000);
    assert.equal(await livesMs("10m"), 600_000);
    assert.equal(await livesMs("30d"), 48 * 3_600_000);
    assert.equal(await livesMs(), 48 * 3_600_000);
  });

  await t.test("each optional part counts for the idempotency key's payload", async () => {
    const headers = { "Idempotency-Key": "extras" };
    const body = { cc: at("cy"), tags: ["a"], metadata: { a: "1", b: "2" } };
    const first = (await (await world.post(sendBody(body), headers)).json()) as { id: string };
    const again = { ...body, cc: [at("cy")], metadata: { b: "2", a: "1" } };
    assert.equal(((await (await world.post(sendBody(again), headers)).json()) as { id: string }).id, first.id);
    for (const change of [{ cc: at("di") }, { bcc: at("di") }, { tags: ["b"] }, { expires_in: 60 }]) {
      const answer = await world.post(sendBody({ ...body, ...change }), headers);
      await problemOf(answer, 409, "idempotency_key_reused");
    }
  });

  await t.test("reports every fault in one response, by field", async () => {
    const problem = await problemOf(
      await world.post(
        sendBody({
          cc: "nobody",
          bcc: [at("a"), 7],
          headers: { Bcc: at("b"), "X-A": "a\r\nBcc: x@y.example" },
          attachments: [{ filename: "a", content: "?" }],
          tags: [""],
          metadata: { a: 1 },
          expires_in: "soon",
        }),
      ),
      400,
      "invalid_request",
    );
    assert.deepEqual(fieldsOf(problem).sort(), [
      "attachments[0].content",
      "bcc[1]",
      "cc",
      "expires_in",
      "headers.Bcc",
      "headers.X-A",
      "metadata.a",
      "tags[0]",
    ]);
  });

  await t.test("rejects a body with more parts than any valid request before parsing it", async () => {
    const problem = await problemOf(await world.post("[".repeat(100_001)), 400, "invalid_request");
    assert.deepEqual(fieldsOf(problem), ["body"]);
  });
});

test("with expires_in, a recipient is retried in time, and no attempt is announced for after the deadline", {
  timeout: 40_000,
}, async (t) => {
  const world = await startWorld(t, { RETRY_SCHEDULE: "1h" });
  const body = sendBody({ to: at("4xx-451"), expires_in: 12 });
  const { id } = (await (await world.post(body)).json()) as { id: string };
  const look = async () => (await (await world.lookUp(id)).json()) as Report;
  const expiresMs = Date.parse((await look()).expires_at);
  let recipient: Report["recipients"][number] | undefined;
  do {
    await delay(100);
    [recipient] = (await look()).recipients;
    assert.ok(recipient);
    for (const next of [recipient.next_attempt_at, ...recipient.events.map((event) => event.next_attempt_at)])
      assert.ok(next == null || Date.parse(next) < expiresMs, `${next} is announced`);
  } while (recipient.result === "pending");
  assert.deepEqual([recipient.result, recipient.reason], ["failed", "expired"]);
  assert.ok(recipient.attempts >= 2 && recipient.attempts <= 4, `${recipient.attempts} attempts`);
  assert.ok(Date.parse(recipient.updated_at) >= expiresMs);
  assert.equal(recipient.events.at(-2)?.next_attempt_at, null, "after the last deferral no attempt is announced");
});

test("recipients not delivered by the sender's deadline fail and are not retried", {
  timeout: 30_000,
}, async (t) => {
  const world = await startWorld(t, { RETRY_SCHEDULE: "1h" });
  const { report } = await sent(world, { to: [at("4xx-451"), at("ann")], expires_in: 2 });
  assert.deepEqual(
    report.recipients.map(({ result, reason, attempts, smtp }) => [result, reason, attempts, smtp?.code]),
    [
      ["failed", "expired", 1, 451],
      ["delivered", null, 1, 250],
    ],
  );
});
