/** The sending rate of a key and the daily quota of an account, and which requests do not count. */
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { bindVerified, RECIPIENT_DOMAIN, sendBody, startWorld, type World } from "../support/world.ts";
import { type ProblemBody, problemOf } from "./problem.ts";

const BURST = 4;

/** A token takes an hour to return, so none returns during the test. */
const NO_REFILL = "0.0002";

/** The remaining rate according to the response headers. */
function left(answer: Response): number {
  const policy = answer.headers.get("ratelimit-policy") ?? "";
  const [, quota, windowS] = /^"[\w-]+";q=(\d+);w=(\d+)$/.exec(policy) ?? assert.fail(`RateLimit-Policy: ${policy}`);
  const [, rest, resetS] = /^"[\w-]+";r=(\d+);t=(\d+)$/.exec(answer.headers.get("ratelimit") ?? "") ?? [];
  assert.equal(
    policy.split(";")[0],
    answer.headers.get("ratelimit")?.split(";")[0],
    "both headers name the same policy",
  );
  assert.ok(Number(quota) >= Number(rest) && Number(windowS) >= 1 && Number(resetS) >= 0);
  return Number(rest);
}

const as = (key: string): Record<string, string> => ({ Authorization: `Bearer ${key}` });

const to = (...locals: string[]): string[] => locals.map((local) => `${local}@${RECIPIENT_DOMAIN}`);

test("the rate of a key", { timeout: 60_000 }, async (t) => {
  const world = await startWorld(t, {
    RATE_PER_SECOND: NO_REFILL,
    RATE_BURST: String(BURST),
    MESSAGE_BYTES_MAX: "65536",
  });

  await t.test("every response to a valid key reports the rate, and no rejection of a key does", () =>
    reportedToValidKeys(world),
  );
  await t.test("only accepted sends use the rate", (t) => onlyAcceptedSendsCount(t, world));
  await t.test("429 rate_limit_exceeded when the rate is used up", () => rateExceeded(world));
  await t.test("concurrent sends do not exceed the rate", () => concurrentSends(world));
});

async function reportedToValidKeys(world: World): Promise<void> {
  const { url } = world.service;
  const headers = as(world.key);
  const answers: Record<string, Response> = {
    "200": await fetch(`${url}/healthz`, { headers }),
    "400 invalid_json": await world.post("{"),
    "400 invalid_request": await world.post({}),
    "400 invalid_idempotency_key": await world.post(sendBody(), { "Idempotency-Key": '"' }),
    "400 wait": await world.lookUp("msg_x", "?wait=x"),
    "403": await world.post(sendBody({ from: "a@elsewhere.example" })),
    "404 message": await world.lookUp("msg_x"),
    "404 path": await fetch(`${url}/api/sending/nothing`, { headers }),
    "405": await fetch(`${url}/api/sending/send`, { headers }),
    "413": await world.post(sendBody({ text: "é".repeat(32_000) })),
    "415": await world.post(sendBody(), { "Content-Type": "text/plain" }),
  };
  for (const [name, answer] of Object.entries(answers)) {
    assert.equal(String(answer.status), name.split(" ")[0]);
    assert.equal(left(answer), BURST, name);
  }
  for (const headers of [{}, as("nonsense"), as(world.key.slice(0, -1))]) {
    const answer = await fetch(`${url}/api/sending/messages/msg_x`, { headers });
    assert.equal(answer.status, 401);
    assert.equal(answer.headers.get("ratelimit"), null);
    assert.equal(answer.headers.get("ratelimit-policy"), null);
  }
}

async function onlyAcceptedSendsCount(t: TestContext, world: World): Promise<void> {
  const { key } = await world.newKey();
  const once = { ...as(key), "Idempotency-Key": "rate" };
  const first = await world.post(sendBody(), once);
  const { id } = (await first.json()) as { id: string };
  assert.equal(left(first), BURST - 1);

  await t.test("a replay uses no rate", async () => {
    for (let i = 0; i < BURST + 1; i += 1) {
      const replay = await world.post(sendBody(), once);
      assert.equal(replay.status, 202);
      assert.equal(left(replay), BURST - 1);
    }
  });

  await t.test("a lookup uses no rate", async () => {
    for (let i = 0; i < BURST + 1; i += 1) assert.equal(left(await world.lookUp(id, "", key)), BURST - 1);
  });

  await t.test("a rejected request uses no rate", async () => {
    for (let i = 0; i < BURST + 1; i += 1) {
      assert.equal(left(await world.post("{", as(key))), BURST - 1);
      assert.equal(left(await world.post(sendBody({ colour: 1 }), as(key))), BURST - 1);
      assert.equal(left(await world.post(sendBody({ from: "a@elsewhere.example" }), as(key))), BURST - 1);
      assert.equal(left(await world.post(sendBody({ subject: "Another" }), once)), BURST - 1);
      const grown = await world.post(sendBody({ text: "é".repeat(32_000) }), as(key));
      assert.equal(grown.status, 413);
      assert.equal(left(grown), BURST - 1);
    }
  });
}

async function rateExceeded(world: World): Promise<void> {
  const { key } = await world.newKey();
  for (let i = 1; i <= BURST; i += 1) {
    const answer = await world.post(sendBody(), { ...as(key), "Idempotency-Key": `of-the-burst-${i}` });
    assert.equal(answer.status, 202);
    assert.equal(left(answer), BURST - i);
  }
  for (let i = 0; i < 3; i += 1) {
    const refused = await world.post(sendBody(), { ...as(key), "Idempotency-Key": "late" });
    assert.equal(left(refused), 0);
    await problemOf(refused, 429, "rate_limit_exceeded");
  }
  const replay = await world.post(sendBody(), { ...as(key), "Idempotency-Key": "of-the-burst-1" });
  assert.equal(replay.status, 202, "a replay works with the rate used up");
  await problemOf(await world.post("{", as(key)), 400, "invalid_json");
  assert.equal((await world.lookUp("msg_x", "", key)).status, 404);
  const sibling = await world.newKey();
  assert.equal((await world.post(sendBody(), as(sibling.key))).status, 202, "another key has its own rate");
}

async function concurrentSends(world: World): Promise<void> {
  const { key } = await world.newKey();
  const answers = await Promise.all(Array.from({ length: 5 * BURST }, () => world.post(sendBody(), as(key))));
  assert.equal(answers.filter(({ status }) => status === 202).length, BURST);
  assert.equal(answers.filter(({ status }) => status === 429).length, 4 * BURST);
}

test("all keys of an account together have ten times the rate of one", { timeout: 60_000 }, async (t) => {
  const world = await startWorld(t, { RATE_PER_SECOND: NO_REFILL, RATE_BURST: "2" });
  const other = await world.service.registry.createAccount("other", 1);
  assert.ok(other !== "exists");
  await bindVerified({ ...world, certsDir: world.env.CERTS_DIR ?? "" }, "other.example", other.id);
  const keys = await Promise.all(Array.from({ length: 30 }, () => world.newKey()));
  const answers = await Promise.all(keys.flatMap(({ key }) => [1, 2].map(() => world.post(sendBody(), as(key)))));
  assert.equal(answers.filter(({ status }) => status === 202).length, 20);
  const fresh = await world.newKey();
  const refused = await world.post(sendBody(), as(fresh.key));
  assert.equal(left(refused), 0, "the key's own tokens do not help");
  const { detail } = await problemOf(refused, 429, "rate_limit_exceeded");
  assert.equal(detail, "The keys of this account together send faster than the rate allows.");
  const otherKey = await world.newKey(other.id);
  const accepted = await world.post(sendBody({ from: "hello@other.example" }), as(otherKey.key));
  assert.equal(accepted.status, 202);
  assert.equal(left(accepted), 1);
});

test("the daily quota belongs to the account, whatever the number of its keys", { timeout: 30_000 }, async (t) => {
  const world = await startWorld(t, { QUOTA_DAILY: "12" });
  const keys = await Promise.all(Array.from({ length: 10 }, () => world.newKey()));
  const answers = await Promise.all(keys.flatMap(({ key }) => [1, 2].map(() => world.post(sendBody(), as(key)))));
  assert.equal(answers.filter(({ status }) => status === 202).length, 12);
  const fresh = await world.newKey();
  await problemOf(await world.post(sendBody(), as(fresh.key)), 429, "quota_exceeded");
});

test("the rate recovers over time", { timeout: 30_000 }, async (t) => {
  const world = await startWorld(t, { RATE_PER_SECOND: "2", RATE_BURST: "1" });
  let refused: ProblemBody | null = null;
  while (refused === null) {
    const answer = await world.post(sendBody());
    if (answer.status === 429) refused = await problemOf(answer, 429, "rate_limit_exceeded");
  }
  assert.equal(refused.retry_after, 1);
  await new Promise((resolve) => setTimeout(resolve, 1000));
  assert.equal((await world.post(sendBody())).status, 202);
});

test("the daily quota of an account", { timeout: 30_000 }, async (t) => {
  const world = await startWorld(t, { QUOTA_DAILY: "5", RECIPIENTS_MAX: "4", MESSAGE_BYTES_MAX: "65536" });
  const refusedByQuota = async (answer: Response): Promise<void> => {
    assert.ok(answer.headers.has("ratelimit"));
    const { retry_after } = await problemOf(answer, 429, "quota_exceeded");
    assert.ok(Number(retry_after) <= 86_400, "until the next UTC day");
  };
  const accept = async (body: unknown, headers = {}): Promise<void> => {
    const answer = await world.post(body, headers);
    assert.equal(answer.status, 202, await answer.text());
  };

  await t.test("invalid requests use no quota", async () => {
    const everyone = to("a", "b", "c", "d");
    for (let i = 0; i < 3; i += 1) {
      assert.equal((await world.post(sendBody({ to: everyone, subject: 7 }))).status, 400);
      assert.equal((await world.post(sendBody({ to: [...everyone, ...to("e")] }))).status, 400);
      assert.equal((await world.post(sendBody({ to: everyone, from: "a@elsewhere.example" }))).status, 403);
      assert.equal((await world.post(sendBody({ to: everyone, text: "é".repeat(32_000) }))).status, 413);
    }
  });

  await t.test("each recipient counts once, and a replay does not count", async () => {
    const body = sendBody({ to: to("a", "b", "a", "c", "b") });
    for (let i = 0; i < 3; i += 1) await accept(body, { "Idempotency-Key": "quota" });
    await refusedByQuota(await world.post(sendBody({ to: to("a", "b", "c") })));
    await accept(sendBody({ to: to("a", "b") }));
  });

  await t.test("429 quota_exceeded when the quota is used up, with every key", async () => {
    await refusedByQuota(await world.post(sendBody()));
    const sibling = await world.newKey();
    await refusedByQuota(await world.post(sendBody(), as(sibling.key)));
    await accept(sendBody({ to: to("a", "b", "a", "c", "b") }), { "Idempotency-Key": "quota" });
    await problemOf(await world.post(sendBody({ subject: 7 })), 400, "invalid_request");
  });

  await t.test("no part of a rejected message is sent", async () => {
    const { sink } = world;
    while (sink.entries.length < 2) await new Promise((resolve) => setTimeout(resolve, 20));
    assert.deepEqual(sink.entries.flatMap(({ rcpt_to }) => rcpt_to).sort(), to("a", "a", "b", "b", "c"));
  });
});
