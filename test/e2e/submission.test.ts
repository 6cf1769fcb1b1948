/** SMTP submission as a client sees it, and what arrives of its messages. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type TestContext, test } from "node:test";
import { createTransport } from "nodemailer";
import { newApiKey } from "../../src/security/api-key-format.ts";
import type { SinkEntry } from "../../src/sink.ts";
import { edit } from "../support/damaged-spool.ts";
import { until } from "../support/peers.ts";
import { SubmissionClient } from "../support/submission-client.ts";
import { RECIPIENT_DOMAIN, startWorld, type World } from "../support/world.ts";

const SUBMISSION = { SUBMISSION_PORT: "0", SUBMISSION_ALLOW_PLAINTEXT: "true" };
const TO = `delivered@${RECIPIENT_DOMAIN}`;

const portOf = ({ service }: World): number => service.submissionPort ?? assert.fail("it does not listen");

async function authenticated(t: TestContext, world: World): Promise<SubmissionClient> {
  const client = await SubmissionClient.open(t, portOf(world));
  assert.match(await client.authenticate(world.key), /^235 /);
  return client;
}

const idOf = (reply: string): string =>
  /^250 2\.0\.0 Accepted as (msg_\S+)$/.exec(reply)?.[1] ?? assert.fail(`not accepted: ${reply}`);

/** The message as it arrived, once it was delivered. */
async function arrived(world: World, id: string): Promise<{ entry: SinkEntry; content: string }> {
  const report = (await (await world.lookUp(id, "?wait=20")).json()) as { message_id: string };
  const entry = world.sink.entries.find(({ message_id }) => message_id === report.message_id);
  assert.ok(entry?.file, JSON.stringify(report));
  const file = join(dirname(world.env.DATA_DIR ?? ""), "sink", entry.file);
  return { entry, content: readFileSync(file, "latin1") };
}

/** A message with these lines of the header and the body. */
const message = (header: string[], body: string[] = ["Hi"]): string =>
  [...header, "", ...body, ""].map((line) => `${line}\r\n`).join("");

const FROM = "From: Shop <hello@shop.example>";

test("SMTP submission", { timeout: 90_000 }, async (t) => {
  const world = await startWorld(t, SUBMISSION);

  await t.test("accepts a message once it is durable, and delivers it signed", async (t) => {
    const client = await authenticated(t, world);
    const header = [
      FROM,
      `To: ${TO}`,
      "Subject: Hello",
      "Message-ID: <1@shop.example>",
      "Date: Mon, 2 Nov 2026 10:00:00 +0000",
    ];
    const id = idOf(await client.send({ to: [TO], content: message(header, ["Hi", ".dot", "..two"]) }));
    const { entry, content } = await arrived(world, id);
    assert.equal(entry.dkim.result, "pass", JSON.stringify(entry));
    assert.deepEqual(entry.rcpt_to, [TO]);
    assert.equal(content.slice(content.indexOf("\r\nFrom:") + 2), message(header, ["Hi", ".dot", "..two"]));
  });

  await t.test("removes Bcc, Return-Path and its own fields, and adds Message-ID and Date", async (t) => {
    const client = await authenticated(t, world);
    const header = [
      "Return-Path: <x@shop.example>",
      FROM,
      `To: ${TO}`,
      "Bcc: hidden@customers.example",
      "Subject: Two",
      "X-Postrider-Tag: a",
      "X-Postrider-Tag: b",
      "X-Postrider-Metadata-order: 7",
      "X-Postrider-Expires-In: 1h",
    ];
    const id = idOf(await client.send({ to: [TO, "hidden@customers.example"], content: message(header) }));
    const { content } = await arrived(world, id);
    assert.doesNotMatch(content, /^(bcc|return-path|x-postrider)/im);
    assert.match(content, /^Message-ID: <[\w-]+@shop\.example>\r$/m);
    assert.match(content, /^Date: \w{3}, /m);
    const report = (await (await world.lookUp(id)).json()) as Record<string, unknown>;
    assert.deepEqual([report.tags, report.metadata], [["a", "b"], { order: "7" }]);
  });

  await t.test("gives a repeated message the id of the first", async (t) => {
    const content = message([FROM, `To: ${TO}`, "Subject: Lost", "Message-ID: <lost@shop.example>"]);
    const first = idOf(await (await authenticated(t, world)).send({ to: [TO], content }));
    const again = await authenticated(t, world);
    assert.equal(idOf(await again.send({ to: [TO], content })), first);
    const other = await again.send({ to: [TO], content: content.replace("Hi", "Ho") });
    assert.notEqual(idOf(other), first);
  });

  await t.test("an idempotency key holds for a message that was built anew", async (t) => {
    const client = await authenticated(t, world);
    const built = (number: number, subject = "Order"): string =>
      message([
        FROM,
        `To: ${TO}`,
        `Subject: ${subject}`,
        `Message-ID: <${number}@shop.example>`,
        "X-Postrider-Idempotency-Key: o7",
      ]);
    const first = idOf(await client.send({ to: [TO], content: built(1) }));
    assert.equal(idOf(await client.send({ to: [TO], content: built(2) })), first);
    const report = await world.service.spool.report(first);
    assert.equal(report?.idempotencyKey, "o7");
    const { accountId, requestId } = report;
    await until("the request", async () => {
      const { requests } = await world.service.spool.requests({ accountId, limit: 100 });
      return requests.some(({ id, messageId }) => id === requestId && messageId === first);
    });
    assert.match(await client.send({ to: [TO], content: built(3, "Another") }), /^550 5\.5\.0 /);
  });

  await t.test("rejects by the rules of the API", async (t) => {
    const client = await authenticated(t, world);
    const send = (header: string[], body?: string[]): Promise<string> =>
      client.send({ to: [TO], content: message(header, body) });
    assert.match(await send(["From: x@other.example", "Subject: x"]), /^550 5\.7\.1 /);
    const reply = await send([FROM, "Sender: Boss <x@other.example>"]);
    assert.match(reply, /^550 5\.7\.1 Sender: No domain of this account covers other\.example/);
    assert.match(await send(["Subject: x"]), /^550 5\.6\.0 The message has no From field/);
    assert.match(await send([`${FROM}, Two <two@shop.example>`]), /^550 5\.6\.0 From: /);
    assert.match(await send([FROM, FROM]), /^550 5\.6\.0 The message has more than one From/);
    assert.match(await send(["From: Team: hello@shop.example;"]), /^550 5\.6\.0 From: /);
    assert.match(await send([FROM, "X-Postrider-Nope: 1"]), /^550 5\.6\.0 X-Postrider-Nope is not a known field/);
    assert.match(await send([FROM, "X-Postrider-Expires-In: soon"]), /^550 5\.6\.0 X-Postrider-Expires-In: /);
    assert.match(await send([FROM], ["x".repeat(999)]), /^550 5\.6\.0 Line 3 is longer than 998 octets/);
    assert.match(await send([FROM], ["a\nb"]), /^550 5\.6\.0 Line 3 has an LF without/);
    assert.match(await send([FROM], ["a\rb"]), /^550 5\.6\.0 Line 3 has a CR that/);
    assert.match(await client.send({ to: ["a@customers..example"], content: "" }), /^55[03] 5\.1\.3 |^501/);
    client.write(Buffer.from("RCPT TO:<\xff@customers.example>\r\n", "latin1"));
    assert.match(await client.reply(), /^553 5\.1\.3 The address is not UTF-8/);
    assert.match(await client.command("RSET"), /^250/);
    const many = Array.from({ length: 51 }, (_, i) => `r${i}@customers.example`);
    assert.match(await client.send({ to: many, content: "" }), /^452 4\.5\.3 A message may have at most 50 recipients/);
  });

  await t.test("records each message and each rejection among the requests", async (t) => {
    const client = await authenticated(t, world);
    const id = idOf(await client.send({ to: [TO], content: message([FROM, "Subject: Recorded"]) }));
    assert.match(await client.send({ to: [TO], content: message(["From: recorded@other.example"]) }), /^550 5\.7\.1 /);
    const find = (): unknown[] =>
      edit(world.env.DATA_DIR ?? "", (db) =>
        db
          .prepare(
            `SELECT method, path, status, code, message_id FROM requests
              WHERE number >= (SELECT number FROM requests WHERE message_id = ?) ORDER BY number`,
          )
          .raw()
          .all(id),
      );
    await until("the requests", () => find().length === 2);
    assert.deepEqual(find(), [
      ["SMTP", "/submission", 250, null, id],
      ["SMTP", "/submission", 550, "sender_not_allowed", null],
    ]);
  });

  await t.test("rejects a key that is invalid, and one that was revoked meanwhile", async (t) => {
    const client = await SubmissionClient.open(t, portOf(world));
    assert.match(await client.authenticate(`svc_live_${"x".repeat(43)}`), /^535 5\.7\.8 /);
    assert.match(await client.command("MAIL FROM:<a@shop.example>"), /^530 5\.7\.0 /);
    const { key, id } = await world.newKey();
    const other = await SubmissionClient.open(t, portOf(world));
    assert.match(await other.authenticate(key), /^235 /);
    await world.service.registry.revokeKey("acc_default", id, Date.now());
    assert.match(await other.send({ to: [TO], content: message([FROM]) }), /^535 5\.7\.8 /);
  });

  await t.test("plays a message of a test key in the service, and sends nothing", async (t) => {
    const before = world.sink.entries.length;
    const { key } = await world.newTestKey();
    const client = await SubmissionClient.open(t, portOf(world));
    assert.match(await client.authenticate(key), /^235 /);
    const to = [TO, "5xx-550@elsewhere.example"];
    const id = idOf(await client.send({ to, content: message([FROM, "Subject: Test"]) }));
    const answer = await world.lookUp(id, "?wait=20", key);
    const report = (await answer.json()) as { test: boolean; recipients: { result: string }[] };
    assert.equal(report.test, true);
    assert.deepEqual(
      report.recipients.map(({ result }) => result),
      ["delivered", "failed"],
    );
    assert.equal(world.sink.entries.length, before);
  });

  await t.test("a stored key counts only as the kind that its text says", async (t) => {
    const { key, hash, lastFour } = newApiKey({ test: true });
    const live = { accountId: "acc_default", name: "x", hash, lastFour, createdAtMs: Date.now(), keysMax: 1000 };
    await world.service.registry.createKey({ ...live, test: false });
    const client = await SubmissionClient.open(t, portOf(world));
    assert.match(await client.authenticate(key), /^535 5\.7\.8 /);
  });

  await t.test("serves nodemailer with an attachment and a subject in UTF-8", async () => {
    const transport = createTransport({
      host: "127.0.0.1",
      port: portOf(world),
      ignoreTLS: true,
      auth: { user: "any", pass: world.key },
    });
    const sent = await transport.sendMail({
      from: "Jörg <hello@shop.example>",
      to: TO,
      subject: "Grüße",
      text: "Hallo",
      html: "<p>Hallo</p>",
      attachments: [{ filename: "ü.bin", content: Buffer.alloc(200_000, 7) }],
    });
    transport.close();
    const { entry } = await arrived(world, idOf(sent.response));
    assert.equal(entry.dkim.result, "pass", JSON.stringify(entry));
    assert.equal(entry.subject, "Grüße");
  });
});
