/**
 * The npm package `resend`, unmodified, against the service: only the base URL and the key are Postrider's. It is a development
 * dependency; where it is not installed, the test is skipped, but not in CI.
 */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { manageClient } from "../support/manage-client.ts";
import { RECIPIENT_DOMAIN, SENDER_DOMAIN, startWorld, type World } from "../support/world.ts";

interface Answer<T> {
  data: T | null;
  error: { statusCode: number | null; name: string; message: string } | null;
  headers: Record<string, string> | null;
}

interface ListedEmail {
  id: string;
  to: string[];
  subject: string;
  last_event: string;
  scheduled_at: string | null;
}

interface EmailList {
  has_more: boolean;
  data: ListedEmail[];
}

interface Sent {
  data: { id: string }[];
  errors?: { index: number; message: string }[];
}

type Options = Record<string, unknown>;

/** The part of the package's class that the test uses. */
interface Client {
  emails: {
    send(email: Options, options?: Options): Promise<Answer<{ id: string }>>;
    get(id: string): Promise<Answer<ListedEmail & { html: string; tags: object[]; reply_to: string[] }>>;
    list(options?: Options): Promise<Answer<EmailList>>;
    update(options: Options): Promise<Answer<unknown>>;
    cancel(id: string): Promise<Answer<unknown>>;
  };
  batch: { send(emails: Options[], options?: Options): Promise<Answer<Sent>> };
  domains: {
    create(options: Options): Promise<Answer<NamedDomain>>;
    list(): Promise<Answer<{ data: NamedDomain[] }>>;
    get(id: string): Promise<Answer<NamedDomain & { records: { name: string; value: string }[] }>>;
    verify(id: string): Promise<Answer<{ id: string }>>;
    remove(id: string): Promise<Answer<{ deleted: boolean }>>;
  };
  apiKeys: {
    create(options: Options): Promise<Answer<{ id: string; token: string }>>;
    list(): Promise<Answer<{ data: { id: string; name: string }[] }>>;
    remove(id: string): Promise<Answer<unknown>>;
  };
}

interface NamedDomain {
  id: string;
  name: string;
  status: string;
}

type ClientClass = new (key?: string) => Client;

/** A name that the compiler does not resolve. */
const PACKAGE: string = "resend";

/** Null if the package is not installed. */
async function clientClass(): Promise<ClientClass | null> {
  try {
    return ((await import(PACKAGE)) as { Resend: ClientClass }).Resend;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ERR_MODULE_NOT_FOUND" || process.env.CI === "true") throw error;
    return null;
  }
}

const Resend = await clientClass();
const skip = Resend === null ? "the npm package resend is not installed" : false;

const EMAIL = {
  from: `Acme <onboarding@${SENDER_DOMAIN}>`,
  to: [`delivered@${RECIPIENT_DOMAIN}`],
  subject: "Grüße, Ann",
  html: "<p>it works!</p>",
};

/** A client as a website makes it: by RESEND_BASE_URL and RESEND_API_KEY alone. */
function clientOf({ service, key }: Pick<World, "service" | "key">): Client {
  assert.ok(Resend !== null);
  const { env } = process;
  env.RESEND_BASE_URL = `${service.url}/compat/resend`;
  env.RESEND_API_KEY = key;
  try {
    return new Resend();
  } finally {
    delete env.RESEND_BASE_URL;
    delete env.RESEND_API_KEY;
  }
}

function dataOf<T>({ data, error }: Answer<T>): T {
  assert.equal(error, null, JSON.stringify(error));
  assert.ok(data !== null);
  return data;
}

function errorOf({ data, error }: Answer<unknown>): [number | null, string] {
  assert.equal(data, null);
  assert.ok(error !== null && typeof error.message === "string" && error.message !== "");
  return [error.statusCode, error.name];
}

async function settled(client: Client, id: string) {
  for (;;) {
    const sent = dataOf(await client.emails.get(id));
    if (sent.last_event !== "queued") return sent;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

describe("the npm package resend", { skip, timeout: 60_000 }, () => {
  test("sends text, HTML, an attachment and tags, looks up and lists", async (t) => {
    const client = clientOf(await startWorld(t, { RETRY_SCHEDULE: "1h" }));
    const full = {
      ...EMAIL,
      text: "it works!",
      cc: `Cy <cy@${RECIPIENT_DOMAIN}>`,
      replyTo: `help@${SENDER_DOMAIN}`,
      headers: { "X-Entity-Ref-ID": "123" },
      attachments: [
        { filename: "a.txt", content: Buffer.from("Grüße") },
        { filename: "b.txt", content: Buffer.from("Grüße").toString("base64"), contentType: "text/plain" },
        { filename: "logo.png", content: Buffer.alloc(100_000, 7), contentId: "logo" },
      ],
      tags: [{ name: "category", value: "confirm_email" }],
    };
    const { id } = dataOf(await client.emails.send(full));
    const sent = await settled(client, id);
    assert.deepEqual(
      [sent.last_event, sent.subject, sent.html, sent.tags, sent.reply_to],
      ["delivered", full.subject, full.html, full.tags, [full.replyTo]],
    );
    const { id: bounced } = dataOf(await client.emails.send({ ...EMAIL, to: `5xx-550@${RECIPIENT_DOMAIN}` }));
    assert.equal((await settled(client, bounced)).last_event, "bounced");
    const newest = dataOf(await client.emails.list({ limit: 1 }));
    assert.deepEqual([newest.has_more, newest.data[0]?.id], [true, bounced]);
    const older = dataOf(await client.emails.list({ after: bounced }));
    assert.deepEqual([older.has_more, older.data.map((each) => each.id)], [false, [id]]);
    assert.deepEqual(
      dataOf(await client.emails.list({ before: id })).data.map((each) => each.id),
      [bounced],
    );
  });

  test("sends batches, strict and permissive, and repeats with an idempotency key", async (t) => {
    const client = clientOf(await startWorld(t));
    const batch = [EMAIL, { ...EMAIL, subject: "second" }];
    const first = dataOf(await client.batch.send(batch, { idempotencyKey: "orders/1" }));
    assert.equal(first.data.length, 2);
    assert.deepEqual(dataOf(await client.batch.send(batch, { idempotencyKey: "orders/1" })), first);
    const changed = await client.batch.send([EMAIL], { idempotencyKey: "orders/1" });
    assert.deepEqual(errorOf(changed), [409, "invalid_idempotent_request"]);
    const invalid = [EMAIL, { ...EMAIL, to: [] }];
    assert.deepEqual(errorOf(await client.batch.send(invalid)), [422, "missing_required_field"]);
    const partly = dataOf(await client.batch.send(invalid, { batchValidation: "permissive" }));
    assert.deepEqual([partly.data.length, partly.errors?.map(({ index }) => index)], [1, [1]]);
    const once = dataOf(await client.emails.send(EMAIL, { idempotencyKey: "order/2" }));
    assert.deepEqual(dataOf(await client.emails.send(EMAIL, { idempotencyKey: "order/2" })), once);
  });

  test("schedules an email, changes its time and cancels it", async (t) => {
    const client = clientOf(await startWorld(t));
    const inMs = (ms: number): string => new Date(Date.now() + ms).toISOString();
    const { id } = dataOf(await client.emails.send({ ...EMAIL, scheduledAt: inMs(3_600_000) }));
    const scheduledAt = inMs(7_200_000);
    assert.deepEqual(dataOf(await client.emails.update({ id, scheduledAt })), { object: "email", id });
    const email = dataOf(await client.emails.get(id));
    assert.deepEqual([email.last_event, email.scheduled_at], ["scheduled", scheduledAt]);
    assert.deepEqual(dataOf(await client.emails.cancel(id)), { object: "email", id });
    assert.equal(dataOf(await client.emails.get(id)).last_event, "canceled");
    assert.deepEqual(errorOf(await client.emails.cancel(id)), [422, "validation_error"]);
    assert.deepEqual(errorOf(await client.emails.update({ id, scheduledAt })), [422, "validation_error"]);
  });

  test("manages domains and API keys with a key that may", async (t) => {
    const world = await startWorld(t, { RATE_PER_SECOND: "0" });
    const { key } = await manageClient(world, "--permissions", "manage");
    const client = clientOf({ ...world, key });
    const { id, status } = dataOf(await client.domains.create({ name: "new.example", region: "eu-west-1" }));
    assert.equal(status, "not_started");
    assert.ok(dataOf(await client.domains.get(id)).records.length >= 5);
    assert.equal(dataOf(await client.domains.verify(id)).id, id);
    const listed = dataOf(await client.domains.list()).data.map(({ name }) => name);
    assert.deepEqual(listed, ["new.example", SENDER_DOMAIN]);
    const domainId = dataOf(await client.domains.list()).data[1]?.id;
    const made = dataOf(
      await client.apiKeys.create({ name: "shop", permission: "sending_access", domain_id: domainId }),
    );
    dataOf(await clientOf({ ...world, key: made.token }).emails.send(EMAIL));
    const names = dataOf(await client.apiKeys.list()).data.map(({ name }) => name);
    assert.ok(names.includes("shop"));
    dataOf(await client.apiKeys.remove(made.id));
    assert.equal(dataOf(await client.domains.remove(id)).deleted, true);
  });

  test("gets errors in the form that it knows", async (t) => {
    // The two accepted messages, and the list of domains.
    const world = await startWorld(t, { RATE_PER_SECOND: "0.001", RATE_BURST: "3" });
    const client = clientOf(world);
    const { id } = dataOf(await client.emails.send(EMAIL));
    for (const [answer, status, name] of [
      [client.emails.send({ ...EMAIL, to: "nobody" }), 422, "validation_error"],
      [client.emails.send({ ...EMAIL, scheduledAt: "in 1 hour" }), 422, "validation_error"],
      [client.emails.send({ ...EMAIL, attachments: [{ path: "https://shop.example/" }] }), 422, "invalid_attachment"],
      [client.emails.send({ ...EMAIL, from: "a@elsewhere.example" }), 403, "validation_error"],
      [client.emails.get("4ef9a417-02e9-4d39-ad75-9611e0fcc33c"), 404, "not_found"],
      [client.emails.update({ id, scheduledAt: "in 1 hour" }), 422, "validation_error"],
      [client.emails.cancel("msg_x"), 404, "not_found"],
      [client.domains.list(), 401, "restricted_api_key"],
    ] as const) {
      assert.deepEqual(errorOf(await answer), [status, name]);
    }
    dataOf(await client.emails.send(EMAIL));
    const limited = await client.emails.send(EMAIL);
    assert.deepEqual(errorOf(limited), [429, "rate_limit_exceeded"]);
    assert.equal(limited.headers?.["ratelimit-remaining"], "0");
    assert.ok(Number(limited.headers?.["retry-after"]) >= 1);
    const stranger = clientOf({ ...world, key: "re_123456789" });
    assert.deepEqual(errorOf(await stranger.emails.send(EMAIL)), [403, "invalid_api_key"]);
  });
});
