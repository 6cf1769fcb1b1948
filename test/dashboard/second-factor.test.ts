/** The second factor, from outside: set up, used, recovered from, turned off. */
import assert from "node:assert/strict";
import { it } from "node:test";
import { Secret, TOTP } from "otpauth";
import { installWithOperator, OPERATOR } from "./installation.ts";
import { type Client, clientOf, clientWith, cookieOf, postForm } from "./sign-in.ts";

const STEP_MS = 30_000;

const codeAt = (secret: string, timestamp: number): string =>
  new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp });

/** Turns it on with the code of the step before this one, so that this one's is not spent. */
async function turnOn(client: Client): Promise<{ secret: string; recovery: string[] }> {
  const page = await (await client.get("/you/second-factor")).text();
  const [, secret = ""] = /name="secret" value="([A-Z2-7]{32})"/.exec(page) ?? [];
  const wrong = await client.post("/you/second-factor", { secret, code: codeAt(secret, Date.now() - 10 * STEP_MS) });
  assert.equal(wrong.status, 400);
  const on = await client.post("/you/second-factor", { secret, code: codeAt(secret, Date.now() - STEP_MS) });
  const recovery = (await on.text()).match(/[A-Z2-7]{4}(-[A-Z2-7]{4}){3}/g) ?? [];
  assert.equal(new Set(recovery).size, 8);
  return { secret, recovery: [...new Set(recovery)] };
}

/** Gives the password; what comes back is not a session yet. */
async function giveEmailAndPassword(url: string): Promise<string> {
  const answer = await postForm(`${url}/dashboard/sign-in`, OPERATOR);
  assert.equal(answer.headers.get("location"), "/dashboard/sign-in/code");
  assert.ok(!answer.headers.getSetCookie().join().includes("postrider_session"));
  return cookieOf(answer);
}

const giveCode = (url: string, Cookie: string, code: string): Promise<Response> =>
  postForm(`${url}/dashboard/sign-in/code`, { code }, { Cookie });

const sessionOf = (answer: Response): string =>
  answer.headers
    .getSetCookie()
    .find((cookie) => cookie.startsWith("postrider_session="))
    ?.split(";")[0] ?? "";

it("lets nobody in by the password alone, and each code once", async (t) => {
  const { url } = await installWithOperator(t);
  const { secret, recovery } = await turnOn(await clientOf(url));

  const half = await giveEmailAndPassword(url);
  assert.equal((await (await clientWith(url, half)).get("/you")).status, 302);
  assert.equal((await giveCode(url, half, "000000")).status, 401);
  assert.equal((await giveCode(url, half, codeAt(secret, Date.now() + 10 * STEP_MS))).status, 401);
  const code = codeAt(secret, Date.now() + STEP_MS);
  const entered = await giveCode(url, half, code);
  assert.equal(entered.status, 302);
  assert.equal((await (await clientWith(url, sessionOf(entered))).get("/you")).status, 200);
  assert.equal((await giveCode(url, await giveEmailAndPassword(url), code)).status, 401, "a code counts once");

  const [first = ""] = recovery;
  const recovered = await giveCode(url, await giveEmailAndPassword(url), ` ${first.toLowerCase()} `);
  assert.equal(recovered.status, 302);
  assert.equal(
    (await giveCode(url, await giveEmailAndPassword(url), first)).status,
    401,
    "a recovery code counts once",
  );
  const me = await clientWith(url, sessionOf(recovered));
  assert.match(await (await me.get("/you")).text(), /7 recovery codes are left/);

  assert.equal((await me.post("/you/second-factor/off", { code: "123456" })).status, 400);
  assert.equal((await me.post("/you/second-factor/off", { code: recovery[1] ?? "" })).status, 302);
  await clientOf(url);
});

it("gives up on a guesser after five codes", async (t) => {
  const { url } = await installWithOperator(t);
  const { recovery } = await turnOn(await clientOf(url));
  const half = await giveEmailAndPassword(url);
  for (let i = 0; i < 5; i += 1) await giveCode(url, half, "000000");
  const late = await giveCode(url, half, recovery[0] ?? "");
  assert.equal(late.headers.get("location"), "/dashboard/sign-in");
  assert.equal(sessionOf(late), "");
});
