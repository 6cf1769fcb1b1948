/** Rejected requests: invalid HTTP, header fields and content types. */
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { RECIPIENT_DOMAIN, sendBody, type World } from "../support/world.ts";
import { type ProblemBody, problemOf } from "./problem.ts";
import { connectRaw, exchange, requestBytes } from "./raw-http.ts";
import { assertNothingSent, json, MB, PIECE, startRefusingWorld } from "./refusals.ts";

test("errors: requests and their header fields", { timeout: 60_000 }, async (t) => {
  const world = await startRefusingWorld(t);
  await t.test("400 invalid_idempotency_key", (t) => invalidIdempotencyKey(t, world));
  await t.test("400 for invalid HTTP", (t) => noHttp(t, world));
  await t.test("409 idempotency_key_reused", () => keyReused(world));
  await t.test("415 unsupported_media_type", (t) => unsupportedType(t, world));
  await t.test("no message was sent", () => assertNothingSent(world));
});

async function invalidIdempotencyKey(t: TestContext, world: World): Promise<void> {
  const values: Record<string, string> = {
    empty: "",
    "white space": "   ",
    "257 characters": "k".repeat(257),
    "257 quoted characters": `"${"k".repeat(257)}"`,
    "empty quotes": '""',
    "an unclosed quote": '"abc',
    "a quote at the end": 'abc"',
    "a quote within": 'a"c',
    "text after the quotes": '"abc" d',
    "an unknown escape": '"a\\bc"',
    "an escaped last quote": '"abc\\"',
    "a tab": "a\tb",
    "a control character": "a\x01b",
    DEL: "a\x7fb",
    "Latin-1": "caf\xe9",
    "UTF-8": Buffer.from("café").toString("latin1"),
    "Latin-1 within quotes": '"caf\xe9"',
  };
  const headers = [`Authorization: Bearer ${world.key}`, "Content-Type: application/json"];
  const send = async (...lines: string[]): Promise<ProblemBody> => {
    const answer = await exchange(world.service.url, requestBytes({ headers: [...headers, ...lines], body: json }));
    return problemOf(answer, 400, "invalid_idempotency_key");
  };
  for (const [name, value] of Object.entries(values)) {
    await t.test(name, async () => {
      const problem = await send(`Idempotency-Key: ${value}`);
      assert.ok(!problem.detail.includes("abc"), problem.detail);
    });
  }
  await t.test("two of them", async () => {
    await send("Idempotency-Key: one", "Idempotency-Key: two");
  });
}

async function noHttp(t: TestContext, world: World): Promise<void> {
  const authorization = `Authorization: Bearer ${world.key}`;
  const requests = {
    "an invalid request line": Buffer.from("HELO mail.example\r\n\r\n"),
    "an invalid field name": requestBytes({ headers: [authorization, "Content Type: x"], body: json }),
    "a control character in a field": requestBytes({ headers: [authorization, "X-Note: a\x02b"], body: json }),
    "two lengths": requestBytes({ headers: [authorization, "Content-Length: 1"], body: json }),
  };
  for (const [name, bytes] of Object.entries(requests)) {
    await t.test(name, async () => {
      await problemOf(await exchange(world.service.url, bytes), 400, "invalid_request");
    });
  }

  await t.test("followed by a large body", async () => {
    const client = await connectRaw(world.service.url);
    await client.write(requestBytes({ headers: [authorization, "Content Type: x", `Content-Length: ${4 * MB}`] }));
    assert.equal((await world.lookUp("msg_x")).status, 404);
    for (let i = 0; i < 4 * MB; i += PIECE.length) await client.write(PIECE);
    await problemOf(await client.answer(), 400, "invalid_request");
    client.end();
  });

  await t.test("431 for a header over the limit", async () => {
    const bytes = requestBytes({ headers: [authorization, `X-Note: ${"x".repeat(100_000)}`] });
    await problemOf(await exchange(world.service.url, bytes), 431, "headers_too_large");
  });
}

async function keyReused(world: World): Promise<void> {
  const to = `4xx-451@${RECIPIENT_DOMAIN}`;
  const headers = { "Idempotency-Key": "used-for-one-payload" };
  assert.equal((await world.post(sendBody({ to }), headers)).status, 202);
  const answer = await world.post(sendBody({ to, subject: "Another" }), headers);
  assert.equal(answer.headers.get("idempotency-replayed"), null);
  const body = await problemOf(answer, 409, "idempotency_key_reused");
  assert.ok(!body.detail.includes("used-for-one-payload"));
}

async function unsupportedType(t: TestContext, world: World): Promise<void> {
  const refused = async (headers: Record<string, string>): Promise<void> => {
    await problemOf(await world.post(sendBody(), headers), 415, "unsupported_media_type");
  };
  for (const type of [
    "text/plain",
    "application/x-www-form-urlencoded",
    "multipart/form-data; boundary=x",
    "text/json-like",
  ]) {
    await t.test(type, () => refused({ "Content-Type": type }));
  }
  await t.test("no type", async () => {
    const headers = [`Authorization: Bearer ${world.key}`];
    const answer = await exchange(world.service.url, requestBytes({ headers, body: json }));
    await problemOf(answer, 415, "unsupported_media_type");
  });
  await t.test("another charset", () => refused({ "Content-Type": "application/json; charset=iso-8859-1" }));
  await t.test("a compressed body", () => refused({ "Content-Encoding": "gzip" }));
}
