/** Sending, as a client and its recipients see it. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import type { SinkEntry } from "../../src/sink.ts";
import { headerField } from "../../src/testing/sink/header.ts";
import { bindVerified, RECIPIENT_DOMAIN, SENDER_DOMAIN, sendBody, startWorld, type World } from "../support/world.ts";

interface Report {
  from: string;
  subject: string;
  message_id: string;
  recipients: { email: string; result: string }[];
}

/** Sends and waits for the results. Returns the message as the API and the sink have it. */
async function sent(world: World, body: unknown): Promise<{ report: Report; entries: SinkEntry[]; content: Buffer }> {
  const response = await world.post(body);
  assert.equal(response.status, 202, await response.clone().text());
  const { id } = (await response.json()) as { id: string };
  const report = (await (await world.lookUp(id, "?wait=20")).json()) as Report;
  const entries = world.sink.entries.filter((entry) => entry.message_id === report.message_id);
  const file = entries[0]?.file ?? assert.fail(`not in the sink: ${JSON.stringify(report)}`);
  const content = readFileSync(join(dirname(world.env.DATA_DIR ?? ""), "sink", file));
  return { report, entries, content };
}

const at = (local: string): string => `${local}@${RECIPIENT_DOMAIN}`;
const emails = (report: Report): string[] => report.recipients.map(({ email }) => email);
const received = (entries: SinkEntry[]): string[] => entries.flatMap(({ rcpt_to }) => rcpt_to).sort();

test("POST /api/sending/send", { timeout: 60_000 }, async (t) => {
  const world = await startWorld(t);

  await t.test("responds with 202, the id and the state, and nothing else", async () => {
    const response = await world.post(sendBody());
    assert.equal(response.status, 202);
    assert.match(response.headers.get("content-type") ?? "", /^application\/json\b/);
    assert.match(response.headers.get("x-request-id") ?? "", /^\S+$/);
    assert.equal(response.headers.get("idempotency-replayed"), null);
    const body = (await response.json()) as { id: string };
    assert.deepEqual(Object.keys(body), ["id", "state"]);
    assert.deepEqual(body, { id: body.id, state: "accepted" });
    assert.match(body.id, /^msg_[\w-]{16,}$/);
  });

  await t.test("gives every message its own id", async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => world.post(sendBody()).then((r) => r.json())));
    assert.equal(new Set(answers.map((answer) => (answer as { id: string }).id)).size, 20);
  });

  await t.test("accepts `to` as a string and as an array of one", async () => {
    for (const to of [at("string"), [at("string")]]) {
      const { report, entries } = await sent(world, sendBody({ to }));
      assert.deepEqual(
        report.recipients.map(({ email, result }) => [email, result]),
        [[at("string"), "delivered"]],
      );
      assert.deepEqual(received(entries), [at("string")]);
    }
  });

  await t.test("keeps the order of recipients, whatever their results", async () => {
    const to = [at("zoe"), at("5xx-550"), at("ann"), `mia@nowhere.${RECIPIENT_DOMAIN}`, at("bob")];
    const { report, entries } = await sent(world, sendBody({ to }));
    assert.deepEqual(emails(report), to);
    assert.deepEqual(
      report.recipients.map(({ result }) => result),
      ["delivered", "failed", "delivered", "failed", "delivered"],
    );
    assert.deepEqual(received(entries), [at("ann"), at("bob"), at("zoe")]);
  });

  await t.test("counts a repeated recipient once, at its first position", async () => {
    const to = [at("b"), at("a"), `Bea <b@${RECIPIENT_DOMAIN.toUpperCase()}>`, at("a"), at("b")];
    const { report, entries } = await sent(world, sendBody({ to }));
    assert.deepEqual(emails(report), [at("b"), at("a")]);
    assert.deepEqual(received(entries), [at("a"), at("b")]);
  });

  await t.test("treats local parts that differ in case as different", async () => {
    const { report } = await sent(world, sendBody({ to: [at("Case"), at("case")] }));
    assert.deepEqual(emails(report), [at("Case"), at("case")]);
  });

  const bodies = {
    "text alone": { text: "Hi text", html: undefined },
    "HTML alone": { html: "<p>Hi HTML</p>", text: undefined },
    both: { text: "Hi text", html: "<p>Hi HTML</p>" },
  };
  for (const [name, { text, html }] of Object.entries(bodies)) {
    await t.test(`sends ${name}`, async () => {
      const { content } = await sent(world, sendBody({ text, html }));
      const type = headerField(content, "Content-Type") ?? "";
      assert.match(type, text && html ? /^multipart\/alternative/ : text ? /^text\/plain/ : /^text\/html/);
      assert.equal(content.includes("Hi text"), text !== undefined);
      assert.equal(content.includes("Hi HTML"), html !== undefined);
    });
  }

  await t.test("keeps display names of sender and recipients", async () => {
    const from = `"Müller, Söhne" <hello@${SENDER_DOMAIN}>`;
    const { report, content } = await sent(
      world,
      sendBody({ from, to: [`Zoë <${at("zoe")}>`, `"a \\"b\\"" <${at("q")}>`] }),
    );
    assert.equal(report.from, `hello@${SENDER_DOMAIN}`);
    assert.deepEqual(emails(report), [at("zoe"), at("q")]);
    assert.match(headerField(content, "From") ?? "", /^"?Müller, Söhne"? <hello@shop\.example>$/);
    assert.match(
      headerField(content, "To") ?? "",
      /^Zoë <zoe@customers\.example>, *"a \\"b\\"" <q@customers\.example>$/,
    );
  });

  await t.test("keeps a subject in any script", async () => {
    const subject = "Ihre Bestellung – 注文 ✓ Ünïcödé and a tail that is long enough to be folded somewhere on the way";
    const { report, entries } = await sent(world, sendBody({ subject }));
    assert.equal(report.subject, subject);
    assert.equal(entries[0]?.subject, subject);
  });

  await t.test("accepts a sender below the verified domain, signed so that it aligns", async () => {
    const { entries } = await sent(world, sendBody({ from: `x@mail.deep.${SENDER_DOMAIN}` }));
    assert.equal(entries[0]?.mail_from, `x@mail.deep.${SENDER_DOMAIN}`);
    assert.equal(entries[0]?.dkim.result, "pass");
    assert.ok(entries[0]?.dkim.aligned);
    assert.equal(entries[0]?.dmarc.result, "pass");
  });

  await t.test("accepts the verified domain in capitals", async () => {
    const { entries } = await sent(world, sendBody({ from: `hello@${SENDER_DOMAIN.toUpperCase()}` }));
    assert.equal(entries[0]?.dkim.result, "pass");
  });

  await t.test("accepts internationalized domains, in Unicode and as A-labels", async () => {
    await bindVerified({ ...world, certsDir: world.env.CERTS_DIR ?? "" }, "bücher.example");
    world.zone.set("xn--mnchen-3ya.example", "MX", [`10 mx.${RECIPIENT_DOMAIN}`]);
    for (const [from, to] of [
      ["hello@bücher.example", "ann@münchen.example"],
      ["hello@xn--bcher-kva.example", "ann@xn--mnchen-3ya.example"],
    ]) {
      const { report, entries } = await sent(world, sendBody({ from, to }));
      assert.equal(report.recipients[0]?.result, "delivered");
      assert.deepEqual(emails(report), [to]);
      assert.equal(entries[0]?.mail_from, "hello@xn--bcher-kva.example");
      assert.deepEqual(entries[0]?.rcpt_to, ["ann@xn--mnchen-3ya.example"]);
      assert.equal(entries[0]?.dkim.result, "pass");
      assert.equal(entries[0]?.dmarc.result, "pass");
    }
  });

  await t.test("accepts a JSON type with a charset, in any case, and a body with a byte order mark", async () => {
    for (const type of ["application/json; charset=utf-8", "Application/JSON;charset=UTF-8"]) {
      assert.equal((await world.post(sendBody(), { "Content-Type": type })).status, 202);
    }
    assert.equal((await world.post(`\ufeff${JSON.stringify(sendBody())}`)).status, 202);
  });

  await t.test("accepts the scheme's name in any case", async () => {
    assert.equal((await world.post(sendBody(), { Authorization: `bearer ${world.key}` })).status, 202);
  });
});
