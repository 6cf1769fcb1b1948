/** The second factor over HTTP: setup, sign-in, recovery, removal. */
import assert from "node:assert/strict";
import { it } from "node:test";
import { Secret, TOTP } from "otpauth";
import { installWithOperator, OPERATOR } from "../../support/dashboard/installation.ts";
import { type Client, clientOf, clientWith, cookieOf, postForm } from "../../support/dashboard/sign-in.ts";

const STEP_MS = 30_000;

const codeAt = (secret: string, timestamp: number): string =>
  new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp });

/** Turns on the second factor with the current time step's code; later sign-ins use the next one's. */
async function turnOn(client: Client): Promise<{ secret: string; recovery: string[] }> {
  const page = await (await client.get("/you/second-factor")).text();
  const [, secret = ""] = /name="secret" value="([A-Z2-7]{32})"/.exec(page) ?? [];
  const current = OPERATOR.password;
  const give = (fields: Record<string, string>) => client.post("/you/second-factor", { secret, ...fields });
  assert.equal((await give({ current, code: codeAt(secret, Date.now() - 10 * STEP_MS) })).status, 400);
  assert.equal((await give({ code: codeAt(secret, Date.now()) })).status, 400, "asks for the password");
  const on = await give({ current, code: codeAt(secret, Date.now()) });
  const recovery = (await on.text()).match(/[A-Z2-7]{4}(-[A-Z2-7]{4}){3}/g) ?? [];
  assert.equal(new Set(recovery).size, 8);
  return { secret, recovery: [...new Set(recovery)] };
}

/** Submits the password. Returns the cookie of the pending sign-in, which is not a session. */
async function sendPassword(url: string): Promise<string> {
  const answer = await postForm(`${url}/dashboard/sign-in`, OPERATOR);
  assert.equal(answer.headers.get("location"), "/dashboard/sign-in/code");
  assert.ok(!answer.headers.getSetCookie().join().includes("postrider_session"));
  return cookieOf(answer);
}

const sendCode = (url: string, Cookie: string, code: string): Promise<Response> =>
  postForm(`${url}/dashboard/sign-in/code`, { code }, { Cookie });

const sessionOf = (answer: Response): string =>
  answer.headers
    .getSetCookie()
    .find((cookie) => cookie.startsWith("postrider_session="))
    ?.split(";")[0] ?? "";

it("requires a code at sign-in, and accepts each code once", async (t) => {
  const { url } = await installWithOperator(t);
  const { secret, recovery } = await turnOn(await clientOf(url));

  const pending = await sendPassword(url);
  assert.equal((await (await clientWith(url, pending)).get("/you")).status, 302);
  assert.equal((await sendCode(url, pending, "000000")).status, 401);
  assert.equal((await sendCode(url, pending, codeAt(secret, Date.now() + 10 * STEP_MS))).status, 401);
  const code = codeAt(secret, Date.now() + STEP_MS);
  const entered = await sendCode(url, pending, code);
  assert.equal(entered.status, 302);
  assert.equal((await (await clientWith(url, sessionOf(entered))).get("/you")).status, 200);
  assert.equal((await sendCode(url, await sendPassword(url), code)).status, 401, "a code counts once");

  const [first = ""] = recovery;
  const recovered = await sendCode(url, await sendPassword(url), ` ${first.toLowerCase()} `);
  assert.equal(recovered.status, 302);
  assert.equal((await sendCode(url, await sendPassword(url), first)).status, 401, "a recovery code counts once");
  const me = await clientWith(url, sessionOf(recovered));
  assert.match(await (await me.get("/you")).text(), /7 recovery codes left/);

  const off = (code: string, current = OPERATOR.password) => me.post("/you/second-factor/off", { code, current });
  assert.equal((await off("123456")).status, 400);
  assert.equal((await off(recovery[1] ?? "", "not this one")).status, 400);
  assert.equal((await off(recovery[1] ?? "")).status, 302, "a wrong password spends no code");
  await clientOf(url);
});

it("ends a sign-in after five wrong codes", async (t) => {
  const { url } = await installWithOperator(t);
  const { recovery } = await turnOn(await clientOf(url));
  const pending = await sendPassword(url);
  for (let i = 0; i < 5; i += 1) await sendCode(url, pending, "000000");
  const late = await sendCode(url, pending, recovery[0] ?? "");
  assert.equal(late.headers.get("location"), "/dashboard/sign-in");
  assert.equal(sessionOf(late), "");
});

it("ends the other sessions when it is turned on", async (t) => {
  const { url } = await installWithOperator(t);
  const [installation, elsewhere] = [await clientOf(url), await clientOf(url)];
  await turnOn(installation);
  assert.equal((await installation.get("/you")).status, 200);
  assert.equal((await elsewhere.get("/you")).status, 302);
});

it("counts wrong codes of a user across sign-ins and sessions; a right password does not reset the count", async (t) => {
  const { url } = await installWithOperator(t);
  const me = await clientOf(url);
  const { recovery } = await turnOn(me);
  const statuses: number[] = [];
  for (let ticket = 0; ticket < 2; ticket += 1) {
    const pending = await sendPassword(url);
    for (let i = 0; i < 3; i += 1) statuses.push((await sendCode(url, pending, "000000")).status);
  }
  const off = (code: string) => me.post("/you/second-factor/off", { code, current: OPERATOR.password });
  for (let i = 0; i < 4; i += 1) statuses.push((await off("000000")).status);
  assert.deepEqual(statuses, [401, 401, 401, 401, 401, 401, 400, 400, 400, 400]);
  const late = await off(recovery[0] ?? "");
  assert.equal(late.status, 429);
  assert.match(late.headers.get("retry-after") ?? "", /^([1-9]|[1-5]\d|60)$/);
  const pending = await sendPassword(url);
  const alsoLate = await sendCode(url, pending, recovery[0] ?? "");
  assert.deepEqual([alsoLate.status, sessionOf(alsoLate)], [429, ""]);
  assert.match(await (await me.get("/you")).text(), /8 recovery codes left/);
});

it("limits sign-ins that end before the code", async (t) => {
  const { url } = await installWithOperator(t);
  await turnOn(await clientOf(url));
  for (let i = 0; i < 5; i += 1) await sendPassword(url);
  assert.equal((await postForm(`${url}/dashboard/sign-in`, OPERATOR)).status, 429);
});

it("voids a pending sign-in when the password changes", async (t) => {
  const { url } = await installWithOperator(t);
  const me = await clientOf(url);
  const { recovery } = await turnOn(me);
  const pending = await sendPassword(url);
  const changed = await me.post("/you/password", { current: OPERATOR.password, password: "a new long password" });
  assert.equal(changed.status, 302);
  const late = await sendCode(url, pending, recovery[0] ?? "");
  assert.deepEqual([late.headers.get("location"), sessionOf(late)], ["/dashboard/sign-in", ""]);
});
