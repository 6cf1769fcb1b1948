/** Guessing at passwords, and the client address behind proxies. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { installWithOperator, OPERATOR } from "../../support/dashboard/installation.ts";
import { clientOf, clientWith, cookieOf, postForm } from "../../support/dashboard/sign-in.ts";

const WRONG = "not this one";

function guesser(url: string, headers: Record<string, string> = {}) {
  return async (email: string, password = WRONG) =>
    (await postForm(`${url}/dashboard/sign-in`, { email, password }, headers)).status;
}

/** Signs in and returns the device cookie. */
async function knownBrowser(url: string): Promise<string> {
  const answer = await postForm(`${url}/dashboard/sign-in`, OPERATOR);
  const cookies = answer.headers.getSetCookie();
  const [device = ""] = cookies.filter((cookie) => cookie.startsWith("postrider_device="));
  assert.match(device, /; HttpOnly; SameSite=Lax/);
  return device.split(";")[0] ?? "";
}

const skip = process.env.CI === "true" ? false : "hashes many passwords, so it runs with CI=true";

describe("guessing at passwords", { skip }, () => {
  it("does not lock out other email addresses at the same client address", async (t) => {
    const { url } = await installWithOperator(t);
    const guess = guesser(url);
    for (let i = 0; i < 30; i += 1) assert.equal(await guess(`user${i}@shop.example`), 401);
    assert.equal(await guess(OPERATOR.email, OPERATOR.password), 302);
  });

  it("counts failures of a known browser separately", async (t) => {
    const { url } = await installWithOperator(t);
    const Cookie = await knownBrowser(url);
    const [stranger, known] = [guesser(url), guesser(url, { Cookie })];
    for (let i = 0; i < 5; i += 1) assert.equal(await stranger(OPERATOR.email), 401);
    assert.equal(await stranger(OPERATOR.email, OPERATOR.password), 429);
    assert.equal(await known(OPERATOR.email, OPERATOR.password), 302);
    for (let i = 0; i < 5; i += 1) assert.equal(await known(OPERATOR.email), 401);
    assert.equal(await known(OPERATOR.email, OPERATOR.password), 429);
    const madeUp = guesser(url, { Cookie: `postrider_device=${"A".repeat(80)}` });
    assert.equal(await madeUp(OPERATOR.email), 429);
    assert.equal((await (await clientWith(url, Cookie)).get("/you")).status, 302, "the device cookie is not a session");
  });

  it("reports how long to wait", async (t) => {
    const { url } = await installWithOperator(t);
    for (let i = 0; i < 5; i += 1) await guesser(url)(OPERATOR.email);
    const answer = await postForm(`${url}/dashboard/sign-in`, OPERATOR);
    assert.equal(answer.status, 429);
    const waitS = Number(answer.headers.get("retry-after"));
    assert.ok(waitS >= 1 && waitS <= 60, String(waitS));
    assert.match(await answer.text(), /Wait \d+ seconds/);
  });

  it("counts wrong passwords of a signed-in user across sessions", async (t) => {
    const { url } = await installWithOperator(t);
    const sessions = [await clientOf(url), await clientOf(url)];
    const statuses = [];
    for (let i = 0; i < 6; i += 1) {
      const answer = await sessions[i % 2]?.post("/you/password", { current: WRONG, password: "a new long password" });
      statuses.push(answer?.status);
    }
    assert.deepEqual(statuses, [400, 400, 400, 400, 400, 429]);
    const change = { current: OPERATOR.password, password: "a new long password" };
    assert.equal((await sessions[0]?.post("/you/password", change))?.status, 429);
    assert.equal((await sessions[0]?.post("/you/second-factor/off", { ...change, code: "000000" }))?.status, 429);
    await clientOf(url);
  });

  it("rejects a flood while signed-in users are served", async (t) => {
    const { url } = await installWithOperator(t);
    const me = await clientOf(url);
    const guess = guesser(url);
    const flood = (round: number) =>
      Promise.all(Array.from({ length: 40 }, (_, i) => guess(`user${round}-${i}@shop.example`)));
    const first = flood(1);
    const change = { current: OPERATOR.password, password: "a new long password" };
    assert.equal((await me.post("/you/password", change)).status, 302);
    const statuses = await first;
    // On a machine in use, requests may arrive more slowly than passwords are compared.
    for (let round = 2; round <= 4 && !statuses.includes(503); round += 1) statuses.push(...(await flood(round)));
    assert.ok(statuses.includes(503), statuses.join());
    assert.ok(statuses.includes(401), statuses.join());
    assert.ok(statuses.every((status) => status === 401 || status === 503));
  });
});

describe("TRUST_PROXY", { skip }, () => {
  const from = (address: string) => ({ "X-Forwarded-For": address });

  it("reads the client address from X-Forwarded-For, counted from the right", async (t) => {
    const { url } = await installWithOperator(t, { env: { TRUST_PROXY: "2" } });
    const guess = (forwarded: string, password = WRONG) => guesser(url, from(forwarded))(OPERATOR.email, password);
    for (let i = 0; i < 5; i += 1) assert.equal(await guess(`198.51.100.${i}, 203.0.113.7, 10.0.0.1`), 401);
    assert.equal(
      await guess("203.0.113.8, 203.0.113.7, 10.0.0.1", OPERATOR.password),
      429,
      "an entry that the client has written",
    );
    assert.equal(await guess("203.0.113.7, 203.0.113.8, 10.0.0.1", OPERATOR.password), 302);
  });

  it("counts an IPv6 /64 network as one client, and shows the client address of a session", async (t) => {
    const { url } = await installWithOperator(t, { env: { TRUST_PROXY: "1" } });
    const guess = (forwarded: string) => guesser(url, from(forwarded))(OPERATOR.email);
    for (let i = 0; i < 5; i += 1) assert.equal(await guess(`2001:db8:1:2::${i}`), 401);
    assert.equal(await guess("2001:db8:1:2:ffff::1"), 429);
    const answer = await postForm(`${url}/dashboard/sign-in`, OPERATOR, from("[2001:db8:1:3::1]:4711"));
    assert.equal(answer.status, 302);
    const client = await clientWith(url, cookieOf(answer));
    assert.match(await (await client.get("/you")).text(), />2001:db8:1:3::1</);
    const odd = await postForm(`${url}/dashboard/sign-in`, OPERATOR, from("<b>unknown"));
    const page = await (await (await clientWith(url, cookieOf(odd))).get("/you")).text();
    assert.ok(!page.includes("unknown"));
  });

  it("defaults to 0: the header is ignored", async (t) => {
    const { url } = await installWithOperator(t);
    for (let i = 0; i < 5; i += 1) await guesser(url, from(`203.0.113.${i}`))(OPERATOR.email);
    assert.equal(await guesser(url, from("203.0.113.9"))(OPERATOR.email, OPERATOR.password), 429);
  });
});
