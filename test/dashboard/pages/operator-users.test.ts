/** Actions on users: what a stolen operator session is not sufficient for. */
import assert from "node:assert/strict";
import { it, type TestContext } from "node:test";
import { Secret, TOTP } from "otpauth";
import type { User } from "../../../src/spool/port/people.ts";
import { cheapHash } from "../../support/cheap-hash.ts";
import { type Installation, installWithOperator, OPERATOR } from "../../support/dashboard/installation.ts";
import { type Client, clientOf, clientWith, cookieOf, postForm } from "../../support/dashboard/sign-in.ts";

const BOB = { email: "bob@shop.example", password: "another long password" };
const CURRENT = { current: OPERATOR.password };

const textOf = async (client: Client, path: string): Promise<string> => (await client.get(path)).text();

const pathOf = (answer: Response): string => (answer.headers.get("location") ?? "").replace("/dashboard", "");

async function userNamed({ service }: Installation, email: string): Promise<User> {
  const user = await service.people.userNamed(email);
  assert.ok(user !== null, email);
  return user;
}

/** An operator's session, and bob, who has a second factor and a session. */
async function installWithBob(t: TestContext) {
  const here = await installWithOperator(t);
  const { registry, people } = here.service;
  const passwordHash = cheapHash(BOB.password);
  const made = {
    email: BOB.email,
    accountId: "acc_default",
    passwordHash,
    operator: false,
    createdAtMs: 1,
    usersMax: 10,
  };
  await registry.createUser(made);
  const bob = await clientOf(here.url, BOB);
  const { id } = await userNamed(here, BOB.email);
  await people.setTotp(id, { sealed: Buffer.from("sealed"), recoveryHashes: [Buffer.from("hash")] });
  return { here, bob, operator: await clientOf(here.url), path: `/operator/users/${id}` };
}

/** Turns on the operator's second factor. Returns the recovery codes. */
async function turnOn(client: Client): Promise<string[]> {
  const page = await (await client.get("/you/second-factor")).text();
  const [, secret = ""] = /name="secret" value="([A-Z2-7]{32})"/.exec(page) ?? [];
  const code = new TOTP({ secret: Secret.fromBase32(secret) }).generate();
  const on = await client.post("/you/second-factor", { secret, code, ...CURRENT });
  return [...new Set((await on.text()).match(/[A-Z2-7]{4}(-[A-Z2-7]{4}){3}/g) ?? [])];
}

it("keeps an operator's own second factor out of reach of the operator's routes", async (t) => {
  const here = await installWithOperator(t);
  const thief = await clientOf(here.url);
  const [code = ""] = await turnOn(thief);
  const { id } = await userNamed(here, OPERATOR.email);
  const off = `/operator/users/${id}/second-factor-off`;
  assert.equal((await thief.get(off)).status, 404);
  assert.equal((await thief.post(off)).status, 404);
  assert.equal((await thief.post(off, { ...CURRENT, code })).status, 404, "not even with password and code");
  assert.notEqual((await userNamed(here, OPERATOR.email)).sealedTotp, null);
  const page = await (await thief.get("/operator/accounts/acc_default")).text();
  assert.doesNotMatch(page, new RegExp(id), "the page offers no action on oneself");
  const signedIn = await postForm(`${here.url}/dashboard/sign-in`, OPERATOR);
  assert.equal(signedIn.headers.get("location"), "/dashboard/sign-in/code");
});

it("asks for the operator's password before it turns off another's second factor, and ends those sessions", async (t) => {
  const { here, bob, operator, path } = await installWithBob(t);
  const off = `${path}/second-factor-off`;
  const isOn = async () => (await userNamed(here, BOB.email)).sealedTotp !== null;
  const account = await (await operator.get("/operator/accounts/acc_default")).text();
  assert.match(account, new RegExp(`<a [^>]*href="/dashboard${off}"`));
  assert.doesNotMatch(account, /action="[^"]*second-factor-off"/);
  assert.match(await (await operator.get(off)).text(), /Turn off the second factor of bob@shop\.example\?/);
  for (const current of ["", "not this one", BOB.password]) {
    const refused = await operator.post(off, { current });
    assert.equal(refused.status, 400, current);
    assert.match(await refused.text(), /second factor of bob@shop\.example\?.*Your current password is wrong/s);
  }
  assert.deepEqual([await isOn(), (await bob.get("/you")).status], [true, 200]);

  const done = await operator.post(off, CURRENT);
  assert.equal(done.status, 302);
  assert.match(await (await operator.get(pathOf(done))).text(), /Second factor turned off/);
  assert.equal(await isOn(), false);
  assert.equal((await bob.get("/you")).status, 302, "bob's sessions have ended");
  assert.equal((await operator.get("/you")).status, 200);
  assert.equal(pathOf(await operator.get(off)), "/operator/accounts/acc_default", "nothing left to turn off");
});

it("asks an operator with a second factor for a code too, and spends it once", async (t) => {
  const { here, operator, path } = await installWithBob(t);
  const [first = "", second = ""] = await turnOn(operator);
  const off = `${path}/second-factor-off`;
  assert.match(await (await operator.get(off)).text(), /name="code"/);
  assert.equal((await operator.post(off, CURRENT)).status, 400);
  assert.equal((await operator.post(off, { ...CURRENT, code: "000000" })).status, 400);
  assert.equal((await operator.post(off, { current: "not this one", code: first })).status, 400);
  assert.notEqual((await userNamed(here, BOB.email)).sealedTotp, null);
  assert.equal((await operator.post(off, { ...CURRENT, code: first })).status, 302, "a wrong password spends no code");
  assert.equal((await operator.post(`${path}/remove`, { ...CURRENT, code: first })).status, 400, "a code counts once");
  assert.equal((await operator.post(`${path}/remove`, { ...CURRENT, code: second })).status, 302);
});

it("confirms the removal of a user, and ends sessions without a confirmation", async (t) => {
  const { here, bob, operator, path } = await installWithBob(t);
  for (const fields of [{}, { current: "not this one" }]) {
    const refused = await operator.post(`${path}/remove`, fields);
    assert.equal(refused.status, 400);
    assert.match(await refused.text(), /Remove bob@shop\.example\?.*Your current password is wrong/s);
  }
  assert.equal((await bob.get("/you")).status, 200);
  assert.equal((await operator.post(`${path}/end-sessions`)).status, 302);
  assert.equal((await bob.get("/you")).status, 302);
  assert.equal((await operator.post(`${path}/remove`, CURRENT)).status, 302);
  assert.equal(await here.service.people.userNamed(BOB.email), null);
});

it("confirms the creation of an operator, and of no other user", async (t) => {
  const here = await installWithOperator(t);
  const operator = await clientOf(here.url);
  const create = (fields: Record<string, string>) => operator.post("/operator/accounts/acc_default/users", fields);
  const eve = { email: "eve@shop.example", password: "a long enough password", operator: "yes" };
  for (const fields of [eve, { ...eve, current: "not this one" }]) {
    const refused = await create(fields);
    assert.equal(refused.status, 400);
    const page = await refused.text();
    assert.match(page, /Your current password is wrong/);
    assert.match(page, /value="eve@shop\.example"/);
    assert.match(page, /name="operator"[^>]*checked/);
  }
  assert.equal(await here.service.people.userNamed(eve.email), null);
  assert.equal((await create({ ...eve, ...CURRENT })).status, 302);
  assert.equal((await userNamed(here, eve.email)).operator, true);
  assert.equal((await create(BOB)).status, 302);
  assert.equal((await userNamed(here, BOB.email)).operator, false);
});

it("counts an operator's wrong confirmations with the other wrong passwords of that user", async (t) => {
  const { here, operator, path } = await installWithBob(t);
  const statuses: number[] = [];
  const wrong = { current: "not this one" };
  statuses.push((await operator.post(`${path}/second-factor-off`, wrong)).status);
  statuses.push((await operator.post(`${path}/remove`, wrong)).status);
  for (let i = 0; i < 3; i += 1) {
    statuses.push((await operator.post("/you/password", { ...wrong, password: "a new long password" })).status);
  }
  assert.deepEqual(statuses, [400, 400, 400, 400, 400]);
  const eve = { email: "eve@shop.example", password: "a long enough password", operator: "yes" };
  for (const late of [
    await operator.post(`${path}/second-factor-off`, CURRENT),
    await operator.post(`${path}/remove`, CURRENT),
    await operator.post("/operator/accounts/acc_default/users", { ...eve, ...CURRENT }),
  ]) {
    assert.equal(late.status, 429);
    assert.match(late.headers.get("retry-after") ?? "", /^\d+$/);
  }
  assert.notEqual((await userNamed(here, BOB.email)).sealedTotp, null);
});

it("shows a confirmation to operators alone", async (t) => {
  const { here, path } = await installWithBob(t);
  await here.service.people.setTotp(path.split("/").at(-1) ?? "", null);
  const bob = await clientWith(here.url, cookieOf(await postForm(`${here.url}/dashboard/sign-in`, BOB)));
  assert.equal((await bob.get("/you")).status, 200);
  for (const action of ["second-factor-off", "remove"]) {
    assert.equal((await bob.get(`${path}/${action}`)).status, 404);
    assert.equal((await bob.post(`${path}/${action}`, { current: BOB.password })).status, 404);
  }
});

async function addUser({ service }: Installation, account: string, email: string): Promise<typeof OPERATOR> {
  const made = await service.registry.createAccount(account, Date.now());
  assert.ok(made !== "exists");
  const password = "a long enough password";
  const passwordHash = cheapHash(password);
  await service.registry.createUser({
    email,
    accountId: made.id,
    passwordHash,
    operator: false,
    createdAtMs: 1,
    usersMax: 10,
  });
  return { email, password };
}

it("asks before a user is removed", async (t) => {
  const here = await installWithOperator(t);
  const client = await clientOf(here.url);
  await addUser(here, "second", "bob@second.example");
  const account = await here.service.registry.accountNamed("second");
  const page = await textOf(client, `/operator/accounts/${account?.id}`);
  const [, path = ""] = /href="\/dashboard(\/operator\/users\/[^"]+\/remove)"/.exec(page) ?? [];
  assert.doesNotMatch(page, /action="[^"]*\/remove"/);
  assert.match(await textOf(client, path), /Remove bob@second\.example\?/);
  const removed = await client.post(path, { current: OPERATOR.password });
  assert.match(await textOf(client, pathOf(removed)), /User removed/);
  const [own] = await here.service.people.users("acc_default");
  assert.equal((await client.get(`/operator/users/${own?.id}/remove`)).status, 404);
});
