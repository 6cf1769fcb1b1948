/** The list of messages: access, filters and pages. */
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { RECIPIENT_DOMAIN, SENDER_DOMAIN, sendBody, startWorld, type World } from "../support/world.ts";
import { fieldsOf, problemOf } from "./problem.ts";

interface Entry {
  id: string;
  state: string;
  created_at: string;
  from: string;
  to: string;
  subject: string;
  message_id: string;
  tags: string[];
  recipients: number;
  results: Record<string, number>;
}

interface Page {
  messages: Entry[];
  next_cursor: string | null;
}

const at = (local: string): string => `${local}@${RECIPIENT_DOMAIN}`;

function ask(world: World, query: Record<string, string> | string = {}, key = world.key): Promise<Response> {
  const text = new URLSearchParams(query).toString();
  const headers = { Authorization: `Bearer ${key}` };
  return fetch(`${world.service.url}/api/sending/messages${text === "" ? "" : `?${text}`}`, { headers });
}

async function list(world: World, query: Record<string, string> = {}, key = world.key): Promise<Page> {
  const answer = await ask(world, query, key);
  assert.equal(answer.status, 200, await answer.clone().text());
  return (await answer.json()) as Page;
}

/** Sends and waits until no recipient is pending. */
async function sent(world: World, parts: Record<string, unknown>, key = world.key): Promise<string> {
  const answer = await world.post(sendBody(parts), { Authorization: `Bearer ${key}` });
  const { id } = (await answer.json()) as { id: string };
  for (;;) {
    const { recipients } = (await (await world.lookUp(id, "", key)).json()) as { recipients: { attempts: number }[] };
    if (recipients.every(({ attempts }) => attempts > 0)) return id;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

test("GET /api/sending/messages", { timeout: 60_000 }, async (t) => {
  const world = await startWorld(t, { RETRY_SCHEDULE: "1h" });
  assert.deepEqual(await list(world), { messages: [], next_cursor: null });
  const first = await sent(world, { to: at("Ann"), subject: "Welcome, Ann", tags: ["welcome", "grün"] });
  const second = await sent(world, { to: [at("ben"), at("5xx-550")], cc: at("4xx-451"), tags: ["welcome"] });
  const third = await sent(world, { to: at("drop-after-dot"), from: `Other@${SENDER_DOMAIN}` });
  const names = new Map([first, second, third].map((id, i) => [id, i + 1]));
  const found = async (query: Record<string, string> = {}): Promise<(number | undefined)[]> =>
    (await list(world, query)).messages.map(({ id }) => names.get(id));

  await t.test("lists messages in short form, newest first", async () => {
    const { messages, next_cursor } = await list(world);
    assert.equal(next_cursor, null);
    assert.deepEqual(
      messages.map(({ id }) => id),
      [third, second, first],
    );
    const report = (await (await world.lookUp(second)).json()) as Entry;
    const { created_at, message_id } = report;
    assert.deepEqual(messages[1], {
      id: second,
      state: "accepted",
      created_at,
      from: `hello@${SENDER_DOMAIN}`,
      to: at("ben"),
      subject: "Hello",
      message_id,
      tags: ["welcome"],
      test: false,
      recipients: 3,
      results: { delivered: 1, failed: 1, pending: 1, unknown: 0 },
      categories: ["other"],
    });
  });

  await t.test("filters by recipient, sender, result, tag, subject and time", async () => {
    assert.deepEqual(await found({ recipient: at("ann") }), [1]);
    assert.deepEqual(await found({ recipient: at("an") }), []);
    assert.deepEqual(await found({ recipient: at("4xx-451") }), [2]);
    assert.deepEqual(await found({ from: `other@${SENDER_DOMAIN}` }), [3]);
    assert.deepEqual(await found({ result: "delivered" }), [2, 1]);
    assert.deepEqual(await found({ result: "failed" }), [2]);
    assert.deepEqual(await found({ result: "pending" }), [2]);
    assert.deepEqual(await found({ result: "unknown" }), [3]);
    assert.deepEqual(await found({ tag: "welcome" }), [2, 1]);
    assert.deepEqual(await found({ tag: "grün", subject: "ANN" }), [1]);
    assert.deepEqual(await found({ tag: "welcome", result: "failed" }), [2]);
    const { created_at } = (await list(world)).messages[1] ?? assert.fail();
    assert.deepEqual(await found({ since: created_at }), [3, 2]);
    assert.deepEqual(await found({ until: created_at }), [1]);
    assert.deepEqual(await found({ since: created_at.replace("Z", "+00:00"), result: "delivered" }), [2]);
  });

  await t.test("lists only messages of the requesting key", (t) => apart(t, world, second));
  await t.test("returns page by page", () => pages(world));
  await t.test("rejects invalid parameters by name", () => refused(world));
});

async function apart(t: TestContext, world: World, foreign: string): Promise<void> {
  const sibling = await world.newKey();
  const own = await sent(world, { to: at("ben"), tags: ["welcome"] }, sibling.key);
  for (const query of [
    {},
    { recipient: at("ben") },
    { tag: "welcome" },
    { result: "delivered" },
    { subject: "Hello" },
  ]) {
    const { messages } = await list(world, query as Record<string, string>, sibling.key);
    assert.deepEqual(
      messages.map(({ id }) => id),
      [own],
      JSON.stringify(query),
    );
  }
  assert.deepEqual((await list(world, { result: "failed" }, sibling.key)).messages, []);
  await t.test("another key's messages are not valid cursors", async () => {
    const problem = await problemOf(await ask(world, { cursor: foreign }, sibling.key), 400, "invalid_request");
    assert.deepEqual(fieldsOf(problem), ["cursor"]);
  });
  const headers = { Authorization: "Bearer nonsense" };
  await problemOf(await fetch(`${world.service.url}/api/sending/messages`, { headers }), 401, "invalid_api_key");
}

async function pages(world: World): Promise<void> {
  const { key } = await world.newKey();
  const headers = { Authorization: `Bearer ${key}` };
  for (let i = 0; i < 25; i += 1) assert.equal((await world.post(sendBody({ tags: ["page"] }), headers)).status, 202);
  for (const query of [{}, { tag: "page" }, { recipient: at("delivered") }]) {
    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const page: Page = await list(world, { ...query, limit: "10", ...(cursor === null ? {} : { cursor }) }, key);
      seen.push(...page.messages.map(({ id }) => id));
      cursor = page.next_cursor;
    } while (cursor !== null && seen.length < 100);
    assert.deepEqual([seen.length, new Set(seen).size], [25, 25], JSON.stringify(query));
    assert.deepEqual(seen, seen.toSorted().reverse(), "the newest first");
  }
  assert.equal((await list(world, {}, key)).messages.length, 20, "the default");
}

async function refused(world: World): Promise<void> {
  const wrong: Record<string, string[]> = {
    limit: ["", "0", "101", "-1", "1.5", "1e1", "x"],
    cursor: ["", "x", "msg_x", `msg_${"0".repeat(24)}`, "12.34"],
    result: ["", "bounced", "Delivered"],
    since: [
      "",
      "yesterday",
      "2026-01-01",
      "2026-13-01T00:00:00Z",
      "2026-02-29T00:00:00Z",
      "1700000000000",
      `2026-01-01T00:00:00.${"0".repeat(100)}Z`,
    ],
    until: ["x", "2026-04-31T00:00:00+02:00", `2026-01-01T00:00:00.${"0".repeat(100)}Z`],
    recipient: ["", "ann", "Ann <a@b.example>", "a@b.example,c@d.example", `${" ".repeat(300)}a@b.example`],
    from: ["x", `a@b.example${" ".repeat(300)}`],
    tag: ["", "x".repeat(501)],
    subject: [""],
    page: ["2"],
    __proto__x: ["1"],
  };
  for (const [name, values] of Object.entries(wrong)) {
    for (const value of values) {
      const problem = await problemOf(await ask(world, { [name]: value }), 400, "invalid_request");
      assert.deepEqual(fieldsOf(problem), [name], `${name}=${value}`);
    }
  }
  const several = await problemOf(await ask(world, "limit=0&page=2&tag=a&tag=b"), 400, "invalid_request");
  assert.deepEqual(fieldsOf(several), ["limit", "page", "tag"]);
}
