/** The listener of ACME_HTTP_PORT, as the service starts it. */
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { challengeResponses } from "../../src/acme/challenge-responses.ts";
import { ChallengeReader, storeChallenges } from "../../src/acme/challenges.ts";
import { listen } from "../../src/http/server.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { silentLog } from "../../src/lib/log.ts";
import { fakeClock } from "../support/fake-clock.ts";

const TOKEN = "evaGxfADs6pSRb2LAv9IZf17Dt3juxGJ-PCt92wr-oA";

async function start(t: TestContext, redirectTo: string | null) {
  const values = new Map<string, string>();
  let reads = 0;
  const store = {
    readValue: async (name: string) => {
      reads += 1;
      return values.get(name) ?? null;
    },
    writeValue: async (name: string, text: string) => void values.set(name, text),
  };
  // It stands still.
  const challenges = new ChallengeReader({ store, clock: fakeClock(Date.now()) });
  const answer = challengeResponses({ challenges, redirectTo, log: silentLog });
  const options = { host: "127.0.0.1", port: 0, certsDir: null, clock: systemClock, log: silentLog };
  const listener = await listen({ ...options, answer, rejected: () => {} });
  t.after(() => listener.close());
  const ask = (path: string, method = "GET") =>
    fetch(`http://127.0.0.1:${listener.port}${path}`, { method, redirect: "manual" });
  return { store, ask, readsOf: () => reads };
}

test("a challenge in progress is answered, others get a 404", async (t) => {
  const { store, ask, readsOf } = await start(t, null);
  const challenge = { name: "a.test", token: TOKEN, keyAuthorization: `${TOKEN}.thumb` };
  await storeChallenges(store, [challenge], Date.now());
  const found = await ask(`/.well-known/acme-challenge/${TOKEN}`);
  assert.deepEqual([found.status, await found.text()], [200, `${TOKEN}.thumb`]);
  const unknown = await Promise.all(
    ["x", "%2e%2e", "a".repeat(200)].map((each) => ask(`/.well-known/acme-challenge/${each}`)),
  );
  assert.deepEqual(
    unknown.map(({ status }) => status),
    [404, 404, 404],
  );
  assert.equal(readsOf(), 1, "requests at once read the spool once");
  for (const [path, method] of [
    ["/", "GET"],
    ["/dashboard", "GET"],
    [`/.well-known/acme-challenge/${TOKEN}`, "POST"],
  ] as const)
    assert.equal((await ask(path, method)).status, 404);
});

test("a challenge of an order that has ended is not answered", async (t) => {
  const { store, ask } = await start(t, null);
  const challenge = { name: "a.test", token: TOKEN, keyAuthorization: "x" };
  await storeChallenges(store, [challenge], Date.now() - 3_600_000);
  assert.equal((await ask(`/.well-known/acme-challenge/${TOKEN}`)).status, 404);
});

test("other requests are redirected to PUBLIC_URL if it is HTTPS", async (t) => {
  const { ask } = await start(t, "https://mail.shop.test");
  const found = await ask("//evil.test/x?y=z");
  assert.deepEqual([found.status, found.headers.get("location")], [308, "https://mail.shop.test//evil.test/x?y=z"]);
  assert.equal((await ask("/", "POST")).status, 404);
});
