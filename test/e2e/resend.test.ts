/** Resend's API under /compat/resend: sending, looking up, listing and batches, each response checked against the schemas. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { headerField } from "../../src/testing/sink/header.ts";
import type { SinkEntry } from "../../src/testing/sink/mailbox.ts";
import { partOf } from "../support/mime.ts";
import { type Batch, type Email, type EmailList, email, holdRequest, ResendApi } from "../support/resend-api.ts";
import { RECIPIENT_DOMAIN, SENDER_DOMAIN, startWorld, type World } from "../support/world.ts";

const at = (local: string): string => `${local}@${RECIPIENT_DOMAIN}`;

const entriesOf = (world: World, { message_id }: Email): SinkEntry[] =>
  world.sink.entries.filter((entry) => entry.message_id === message_id);

/** The content of a message as the sink received it. */
function receivedOf(world: World, message: Email): Buffer {
  const [entry] = entriesOf(world, message);
  assert.ok(entry, "the sink has the message");
  return readFileSync(join(dirname(world.env.DATA_DIR ?? ""), "sink", entry.file ?? ""));
}

test("sending and looking up", { timeout: 60_000 }, async (t) => {
  const world = await startWorld(t, { RETRY_SCHEDULE: "1h" });
  const api = new ResendApi(world);

  await t.test("a message with everything that both APIs have arrives, and is returned as it was sent", () =>
    everything(world, api),
  );
  await t.test("results are Resend's statuses", () => statuses(api));
  await t.test("a message is scheduled, moved and cancelled", () => scheduled(api));
  await t.test("files as arrays of bytes arrive, however the client writes them", () => byteArrays(world, api));
  await t.test("clients may end their base URL with a slash", async () => {
    const slashed = new ResendApi(world, { baseUrl: `${api.baseUrl}/` });
    const id = await slashed.send();
    assert.equal((await slashed.get(id)).id, id);
    const [sent] = (await slashed.ok<Batch>("POST /emails/batch", { body: [email()] })).data;
    const [newest] = (await slashed.ok<EmailList>("GET /emails", { query: "?limit=1" })).data;
    assert.equal(newest?.id, sent?.id);
  });
  await t.test("an Idempotency-Key that is repeated sends nothing, and is the own API's", async () => {
    const once = { "Idempotency-Key": "welcome-user/123456789" };
    const id = await api.send({}, once);
    const again = await api.ask("POST /emails", { body: email(), headers: once });
    assert.equal(again.headers.get("idempotency-replayed"), "true");
    assert.deepEqual(await again.json(), { id });
    await api.error("POST /emails", 409, "invalid_idempotent_request", { body: email({ text: "Hi" }), headers: once });
    const own = await world.post(email(), once);
    assert.deepEqual([own.status, await own.json()], [202, { id, state: "accepted" }]);
  });
  await t.test("the own API shows the message with its tags as metadata", async () => {
    const id = await api.send({ tags: [{ name: "category", value: "confirm_email" }] });
    const own = (await (await world.lookUp(id)).json()) as { tags: string[]; metadata: Record<string, string> };
    assert.deepEqual([own.tags, own.metadata], [["category:confirm_email"], { category: "confirm_email" }]);
  });
  await t.test("once its content is deleted, a message is returned without its bodies", async () => {
    const id = await api.send({ reply_to: "a@b.example" });
    await api.attempted(id);
    const nowMs = Date.now() + 1000;
    const limits = { nowMs, contentsBeforeMs: nowMs, resultsBeforeMs: 0, limit: 1000 };
    while ((await world.service.spool.applyRetention(limits)).isMore);
    const { html, text, reply_to, subject } = await api.get(id);
    assert.deepEqual([html, text, reply_to, subject], [undefined, undefined, undefined, "Hello"]);
  });
});

async function everything(world: World, api: ResendApi): Promise<void> {
  const pdf = Buffer.from("%PDF-1.7\n\0\xff", "latin1");
  const message = {
    from: `Grüße <hello@${SENDER_DOMAIN}>`,
    to: [at("ann"), `Ben <${at("ben")}>`],
    cc: at("cy"),
    bcc: [at("dora")],
    reply_to: [`help@${SENDER_DOMAIN}`, `Help <more@${SENDER_DOMAIN}>`],
    subject: "Grüße aus dem Laden",
    html: '<p>Grüße</p>\n<img src="cid:logo">',
    text: "Grüße\n\nvon uns",
    headers: { "X-Entity-Ref-ID": "1042" },
    attachments: [
      { filename: "invoice.pdf", content: pdf.toString("base64") },
      { filename: "logo.png", content: "iVBORw0K", content_type: "image/png", content_id: "logo" },
    ],
    tags: [{ name: "category", value: "confirm_email" }],
  };
  holdRequest(message);
  const { id } = await api.ok<{ id: string }>("POST /emails", { body: message });
  const { created_at, message_id, ...shown } = await api.attempted(id);
  assert.deepEqual(shown, {
    object: "email",
    id,
    from: message.from,
    subject: message.subject,
    to: [at("ann"), at("ben")],
    cc: [at("cy")],
    bcc: [at("dora")],
    reply_to: [`help@${SENDER_DOMAIN}`, `more@${SENDER_DOMAIN}`],
    html: message.html,
    text: message.text,
    tags: message.tags,
    last_event: "delivered",
    scheduled_at: null,
  });
  assert.ok(Math.abs(Date.parse(created_at) - Date.now()) < 60_000);
  const received = receivedOf(world, { message_id } as Email);
  assert.equal(headerField(received, "X-Entity-Ref-ID"), "1042");
  assert.match(headerField(received, "From") ?? "", / <hello@shop\.example>$/);
  assert.equal(received.includes("dora"), false);
  const { parts } = partOf(received);
  const files = parts.slice(1).map(({ type, content }) => [type, content.toString("latin1")]);
  assert.deepEqual(files, [["application/pdf", pdf.toString("latin1")]]);
  assert.ok(received.includes("Content-Id: <logo>") || received.includes("Content-ID: <logo>"));
}

async function scheduled(api: ResendApi): Promise<void> {
  const inMs = (ms: number): string => new Date(Date.now() + ms).toISOString();
  const first = inMs(3_600_000);
  const id = await api.send({ to: [at("delivered")], scheduled_at: first });
  const look = async () => {
    const { last_event, scheduled_at } = (await (await api.ask(`GET /emails/${id}`)).json()) as Email;
    return [last_event, scheduled_at];
  };
  assert.deepEqual(await look(), ["scheduled", first]);
  const later = inMs(7_200_000);
  const moved = await api.ask(`PATCH /emails/${id}`, { body: { scheduled_at: later } });
  assert.deepEqual([moved.status, await moved.json()], [200, { object: "email", id }]);
  assert.deepEqual(await look(), ["scheduled", later]);
  await api.error(`PATCH /emails/${id}`, 422, "validation_error", { body: { scheduled_at: "in 1 min" } });
  const cancelled = await api.ask(`POST /emails/${id}/cancel`);
  assert.deepEqual([cancelled.status, await cancelled.json()], [200, { object: "email", id }]);
  assert.deepEqual(await look(), ["canceled", later]);
  await api.error(`POST /emails/${id}/cancel`, 422, "validation_error");
  await api.error(`PATCH /emails/${id}`, 422, "validation_error", { body: { scheduled_at: later } });
  await api.error("POST /emails/msg_x/cancel", 404, "not_found");
}

async function statuses(api: ResendApi): Promise<void> {
  for (const [local, status] of [
    ["delivered", "delivered"],
    ["5xx-550", "bounced"],
    ["4xx-451", "delivery_delayed"],
    ["drop-after-dot", "sent"],
  ] as const) {
    const id = await api.send({ to: [at(local)] });
    assert.equal((await api.attempted(id)).last_event, status, local);
  }
  const id = await api.send({ to: [at("delivered"), at("5xx-550"), at("4xx-451")] });
  assert.equal((await api.attempted(id)).last_event, "bounced");
  const short = await api.send({ to: `ann@${"x".repeat(40)}.example` });
  assert.equal((await api.attempted(short)).last_event, "bounced", "a domain that does not exist");
}

async function byteArrays(world: World, api: ResendApi): Promise<void> {
  const file = Buffer.alloc(200_000, "0123456789");
  for (const content of [[...file], file.toJSON()]) {
    const id = await api.send({ attachments: [{ filename: "a.bin", content }] });
    const received = receivedOf(world, await api.attempted(id))
      .toString("latin1")
      .replaceAll("\r\n", "");
    assert.ok(received.includes(file.toString("base64")));
  }
}

test("lists", { timeout: 60_000 }, async (t) => {
  const world = await startWorld(t, { SINK: "127.0.0.1:1", RETRY_SCHEDULE: "1h" });
  const api = new ResendApi(world);
  assert.deepEqual(await api.ok<EmailList>("GET /emails"), { object: "list", has_more: false, data: [] });
  const ids: string[] = [];
  for (let i = 0; i < 25; i += 1) ids.push(await api.send({ subject: `No ${i}`, cc: at("cy"), bcc: [at("dora")] }));
  const sibling = new ResendApi(world, { key: (await world.newKey()).key });
  const foreign = await sibling.send();
  const list = async (query = ""): Promise<{ found: number[]; isMore: boolean }> => {
    const { data, has_more } = await api.ok<EmailList>("GET /emails", { query });
    return { found: data.map(({ id }) => ids.indexOf(id)), isMore: has_more };
  };
  const down = (from: number, to: number): number[] => Array.from({ length: from - to + 1 }, (_, i) => from - i);

  await t.test("pages follow in both directions, each the newest first", async () => {
    assert.deepEqual(await list(), { found: down(24, 5), isMore: true });
    assert.deepEqual(await list(`?after=${ids[5]}`), { found: down(4, 0), isMore: false });
    assert.deepEqual(await list("?limit=100"), { found: down(24, 0), isMore: false });
    assert.deepEqual(await list(`?limit=3&after=${ids[10]}`), { found: down(9, 7), isMore: true });
    assert.deepEqual(await list(`?limit=3&before=${ids[10]}`), { found: down(13, 11), isMore: true });
    assert.deepEqual(await list(`?limit=3&before=${ids[21]}`), { found: down(24, 22), isMore: false });
    assert.deepEqual(await list(`?before=${ids[24]}`), { found: [], isMore: false });
  });

  await t.test("an entry is a message without its bodies", async () => {
    const [entry] = (await api.ok<EmailList>("GET /emails", { query: "?limit=1" })).data;
    const { html, reply_to, tags, ...shown } = await api.get(ids[24] ?? "");
    // The name is in the content, which a list does not read.
    assert.deepEqual({ object: "email", ...entry, from: `Shop <${entry?.from}>` }, shown);
    assert.deepEqual(
      [shown.cc, shown.bcc, html, reply_to, tags],
      [[at("cy")], [at("dora")], "<p>Hi there</p>", [], []],
    );
  });

  await t.test("a key sees its own messages alone, also as cursors", async () => {
    const { data } = await sibling.ok<EmailList>("GET /emails");
    assert.deepEqual(
      data.map(({ id }) => id),
      [foreign],
    );
    await sibling.error(`GET /emails/${ids[0]}`, 404, "not_found");
    for (const query of [
      `?after=${foreign}`,
      `?before=${foreign}`,
      "?after=msg_x",
      "?before=msg_000000000000000000000000",
    ]) {
      const { message } = await api.error("GET /emails", 422, "validation_error", { query });
      assert.match(message, /^(after|before): Must be the id of a message/);
    }
  });

  await t.test("parameters are validated", async () => {
    for (const [query, field] of [
      ["?limit=0", "limit"],
      ["?limit=101", "limit"],
      ["?limit=x", "limit"],
      ["?limit=1&limit=2", "limit"],
      ["?page=2", "page"],
      [`?after=${ids[1]}&before=${ids[0]}`, "before"],
    ] as const) {
      const { message } = await api.error("GET /emails", 422, "validation_error", { query });
      assert.ok(message.startsWith(`${field}: `), message);
    }
  });
});

test("batches", { timeout: 120_000 }, async (t) => {
  const world = await startWorld(t, { RATE_PER_SECOND: "1000000", RATE_BURST: "10" });
  const api = new ResendApi(world);
  const batch = (messages: unknown[], headers: Record<string, string> = {}): Promise<Batch> =>
    api.ok<Batch>("POST /emails/batch", { body: messages, headers });
  const subjectsOf = async ({ data }: Batch): Promise<string[]> => {
    const sent = await Promise.all(data.map(({ id }) => api.get(id)));
    return sent.map(({ subject }) => subject);
  };
  const numbered = (count: number, parts: Record<string, unknown> = {}) =>
    Array.from({ length: count }, (_, i) => email({ subject: `No ${i}`, ...parts }));

  await t.test("a hundred messages are accepted at once, more than the burst of the rate, in their order", async () => {
    const result = await batch(numbered(100));
    assert.deepEqual(Object.keys(result), ["data"]);
    assert.deepEqual(
      await subjectsOf(result),
      numbered(100).map(({ subject }) => subject),
    );
  });

  await t.test("a long batch is accepted too", async () => {
    const html = `<p>${"x".repeat(2000)}</p>`;
    const result = await batch(numbered(100, { html }));
    assert.equal(new Set(result.data.map(({ id }) => id)).size, 100);
    assert.equal((await api.get(result.data[99]?.id ?? "")).html, html);
  });

  await t.test("strict, which is the default: an invalid message rejects all, and all errors are named", () =>
    strict(api),
  );
  await t.test("permissive: the valid messages are accepted, and the others named", () => permissive(api));
  await t.test("with an Idempotency-Key, a repeated batch is the same batch", () => repeated(world, api));
  await t.test("after a lost response, the batch may be repeated without a duplicate", () => lost(world, api));
  await t.test("what is no batch is rejected", async () => {
    for (const [body, detail] of [
      [{}, "body: The body must be a JSON array of messages."],
      [[], "body: The batch has no message."],
      [numbered(101), "body: The batch has more than 100 messages."],
    ] as const) {
      const { message } = await api.error("POST /emails/batch", 422, "validation_error", { body });
      assert.equal(message, detail);
    }
    await api.error("POST /emails/batch", 400, "validation_error", { body: "[" });
    const headers = { "x-batch-validation": "lenient" };
    await api.error("POST /emails/batch", 400, "validation_error", { body: numbered(1), headers });
  });
});

const listed = async (api: ResendApi): Promise<string[]> =>
  (await api.ok<EmailList>("GET /emails", { query: "?limit=100" })).data.map(({ id }) => id);

async function strict(api: ResendApi): Promise<void> {
  const before = await listed(api);
  const body = [email(), email({ to: undefined }), email({ subject: undefined }), 7];
  for (const headers of [{}, { "x-batch-validation": "strict" }]) {
    const { message } = await api.error("POST /emails/batch", 422, "validation_error", { body, headers });
    assert.equal(
      message,
      "[1].to: This field is required. [2].subject: This field is required. [3]: The body must be a JSON object.",
    );
  }
  await api.error("POST /emails/batch", 422, "missing_required_field", { body: [email(), email({ to: undefined })] });
  const foreign = [email(), email({ from: "a@elsewhere.example" })];
  const { message } = await api.error("POST /emails/batch", 403, "validation_error", { body: foreign });
  assert.match(message, /^\[1\]: No domain of this account covers elsewhere\.example\./);
  assert.deepEqual(await listed(api), before);
}

async function permissive(api: ResendApi): Promise<void> {
  const headers = { "x-batch-validation": "permissive" };
  const body = [email(), email({ to: "nobody" }), email({ from: "a@elsewhere.example" }), email({ subject: "last" })];
  const { data, errors = [] } = await api.ok<Batch>("POST /emails/batch", { body, headers });
  assert.deepEqual(await Promise.all(data.map(async ({ id }) => (await api.get(id)).subject)), ["Hello", "last"]);
  assert.deepEqual(
    errors.map(({ index }) => index),
    [1, 2],
  );
  assert.match(errors[0]?.message ?? "", /^to: /);
  assert.match(errors[1]?.message ?? "", /elsewhere\.example/);
  const valid = await api.ok<Batch>("POST /emails/batch", { body: [email()], headers });
  assert.deepEqual([valid.data.length, valid.errors], [1, []]);
  const none = await api.ok<Batch>("POST /emails/batch", { body: [7, {}], headers });
  assert.deepEqual([none.data, none.errors?.length], [[], 2]);
}

async function repeated(world: World, api: ResendApi): Promise<void> {
  const headers = { "Idempotency-Key": "team-quota/123456789" };
  const body = [email({ subject: "one" }), email({ subject: "two" })];
  const first = await api.ok<Batch>("POST /emails/batch", { body, headers });
  const again = await api.ask("POST /emails/batch", { body, headers });
  assert.equal(again.headers.get("idempotency-replayed"), "true");
  assert.deepEqual(await again.json(), first);
  for (const other of [[body[0]], [...body, email()], [body[1], body[0]], [email(), body[1]]]) {
    await api.error("POST /emails/batch", 409, "invalid_idempotent_request", { body: other, headers });
  }
  const single = await api.ok<{ id: string }>("POST /emails", { body: body[0], headers });
  assert.ok(!first.data.some(({ id }) => id === single.id), "the key of a batch is not that of a message");
  const sent = await Promise.all(first.data.map(({ id }) => api.attempted(id)));
  assert.deepEqual(
    sent.map((each) => entriesOf(world, each).length),
    [1, 1],
  );
  const reports = await Promise.all(first.data.map(({ id }) => world.service.spool.report(id)));
  assert.ok(reports.every((report) => report?.idempotencyKey === "team-quota/123456789"));
  assert.match(reports[0]?.requestId ?? "", /^req_/);
  assert.equal(reports[1]?.requestId, reports[0]?.requestId);
}

async function lost(world: World, api: ResendApi): Promise<void> {
  const body = Array.from({ length: 50 }, (_, i) => email({ subject: `lost ${i}` }));
  const headers = { "Idempotency-Key": "lost" };
  const before = new Set(await listed(api));
  const gone = new AbortController();
  const request = fetch(`${api.baseUrl}/emails/batch`, {
    method: "POST",
    headers: { Authorization: `Bearer ${world.key}`, "Content-Type": "application/json", ...headers },
    body: JSON.stringify(body),
    signal: gone.signal,
  }).catch(() => null);
  // The service has begun to store the batch; whether it has ended is left to chance.
  while ((await listed(api)).every((id) => before.has(id))) await delay(1);
  gone.abort();
  await request;
  const { data } = await api.ok<Batch>("POST /emails/batch", { body, headers });
  assert.equal(data.length, 50);
  const sent = await Promise.all(data.map(({ id }) => api.attempted(id)));
  const counts = sent.map((each) => entriesOf(world, each).length);
  assert.deepEqual(
    counts,
    Array.from({ length: 50 }, () => 1),
  );
  assert.equal(world.sink.entries.filter(({ subject }) => subject?.startsWith("lost ")).length, 50);
}
