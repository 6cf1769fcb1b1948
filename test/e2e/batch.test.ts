/** Several messages in one request of the own API: a result for each, and what makes them repeatable. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { RECIPIENT_DOMAIN, sendBody, startWorld, type World } from "../support/world.ts";
import { fieldsOf, problemOf } from "./problem.ts";

interface Entry {
  id?: string;
  state?: string;
  error?: { status: number; code: string; detail: string; errors?: { field: string }[] };
}

const post = (world: World, body: unknown, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(`${world.service.url}/api/sending/batch`, {
    method: "POST",
    headers: { Authorization: `Bearer ${world.key}`, "Content-Type": "application/json", ...headers },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });

async function sent(world: World, messages: unknown[], headers: Record<string, string> = {}): Promise<Entry[]> {
  const response = await post(world, { messages }, headers);
  assert.equal(response.status, 202, await response.clone().text());
  return ((await response.json()) as { messages: Entry[] }).messages;
}

const codes = (entries: Entry[]) => entries.map(({ state, error }) => state ?? error?.code);

test("batches", { timeout: 60_000 }, async (t) => {
  const world = await startWorld(t, { MESSAGE_BYTES_MAX: "300000" });

  await t.test("each message has its own result, in order", async () => {
    const send_at = new Date(Date.now() + 3_600_000).toISOString();
    const messages = [
      sendBody(),
      sendBody({ to: "nobody", subject: null }),
      sendBody({ from: "a@elsewhere.example" }),
      sendBody({ send_at }),
      7,
      sendBody({ text: "x".repeat(200_000) }),
    ];
    const entries = await sent(world, messages);
    assert.deepEqual(codes(entries), [
      "accepted",
      "invalid_request",
      "sender_not_allowed",
      "accepted",
      "invalid_request",
      "accepted",
    ]);
    assert.deepEqual(entries[1]?.error?.errors?.map(({ field }) => field).toSorted(), ["subject", "to"]);
    assert.deepEqual([entries[1]?.error?.status, entries[2]?.error?.status], [400, 403]);
    const found = (await (await world.lookUp(entries[0]?.id ?? "", "?wait=20")).json()) as {
      recipients: { result: string }[];
    };
    assert.equal(found.recipients[0]?.result, "delivered");
    const later = (await (await world.lookUp(entries[3]?.id ?? "")).json()) as { send_at: string };
    assert.equal(later.send_at, send_at);
  });

  await t.test("a key of the request makes all repeatable, and a key of a message that message", async () => {
    const headers = { "Idempotency-Key": "all" };
    const messages = [
      sendBody({ subject: "1" }),
      sendBody({ subject: "2", idempotency_key: "own" }),
      sendBody({ to: "x" }),
    ];
    const first = await sent(world, messages, headers);
    assert.deepEqual(codes(first), ["accepted", "accepted", "invalid_request"]);
    const again = await post(world, { messages }, headers);
    assert.equal(again.headers.get("Idempotency-Replayed"), "true");
    assert.deepEqual(((await again.json()) as { messages: Entry[] }).messages, first);
    await problemOf(await post(world, { messages: [sendBody()] }, headers), 409, "idempotency_key_reused");
    const alone = await world.post(sendBody({ subject: "2" }), { "Idempotency-Key": "own" });
    assert.equal(((await alone.json()) as Entry).id, first[1]?.id);
    const others = await sent(world, [
      sendBody({ subject: "2", idempotency_key: "own" }),
      sendBody({ subject: "3", idempotency_key: "own" }),
      sendBody({ idempotency_key: "" }),
      sendBody({ idempotency_key: null }),
    ]);
    assert.equal(others[0]?.id, first[1]?.id);
    assert.deepEqual(codes(others), ["accepted", "idempotency_key_reused", "invalid_request", "accepted"]);
    assert.deepEqual(
      others[2]?.error?.errors?.map(({ field }) => field),
      ["idempotency_key"],
    );
  });

  await t.test("long ones with keys of their own are read on the thread", async () => {
    const long = "x".repeat(150_000);
    const [first] = await sent(world, [sendBody({ text: long, idempotency_key: "long" })]);
    const [again] = await sent(world, [sendBody({ text: long, idempotency_key: "long" })]);
    assert.ok(first?.id !== undefined && first.id === again?.id);
  });

  await t.test("a request is rejected as a whole where no message can be read", async () => {
    await problemOf(await post(world, "{"), 400, "invalid_json");
    for (const body of [[], {}, { messages: {} }, { messages: [] }, { messages: Array(101).fill(sendBody()) }])
      await problemOf(await post(world, body), 400, "invalid_request");
    const unknown = await problemOf(await post(world, { messages: [sendBody()], colour: 1 }), 400, "invalid_request");
    assert.deepEqual(fieldsOf(unknown), ["colour"]);
    await problemOf(await post(world, { messages: [sendBody({ text: "x".repeat(300_000) })] }), 413, "body_too_large");
  });

  await t.test("a hundred are accepted", async () => {
    const to = `delivered@${RECIPIENT_DOMAIN}`;
    const entries = await sent(
      world,
      Array.from({ length: 100 }, (_, i) => sendBody({ to, subject: `${i}` })),
    );
    assert.equal(new Set(entries.map(({ id }) => id)).size, 100);
  });
});

test("each message of a batch counts for the rate", { timeout: 30_000 }, async (t) => {
  const world = await startWorld(t, { RATE_PER_SECOND: "0.001", RATE_BURST: "5" });
  assert.equal(
    (
      await sent(
        world,
        Array.from({ length: 5 }, () => sendBody()),
      )
    ).length,
    5,
  );
  await problemOf(await world.post(sendBody()), 429, "rate_limit_exceeded");
  await problemOf(await post(world, { messages: [sendBody()] }), 429, "rate_limit_exceeded");
});
