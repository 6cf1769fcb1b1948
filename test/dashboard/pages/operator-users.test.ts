/** Actions on users require re-authentication, so a stolen operator session is not sufficient for them. */
import assert from "node:assert/strict";
import { it, type TestContext } from "node:test";
import { Secret, TOTP } from "otpauth";
import type { User } from "../../../src/spool/port/people.ts";
import { cheapHash } from "../../support/cheap-hash.ts";
import { addUser, type Installation, installWithOperator, OPERATOR } from "../../support/dashboard/installation.ts";
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

/** An operator with a session, and the user bob with a second factor and a session. */
async function installWithBob(t: TestContext) {
  const installation = await installWithOperator(t);
  const { registry, people } = installation.service;
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
  const bob = await clientOf(installation.url, BOB);
  const { id } = await userNamed(installation, BOB.email);
  await people.setTotp(id, { sealed: Buffer.from("sealed"), recoveryHashes: [Buffer.from("hash")] });
  return { installation, bob, operator: await clientOf(installation.url), path: `/operator/users/${id}` };
}

/** Turns on the operator's second factor. Returns the recovery codes. */
async function turnOn(client: Client): Promise<string[]> {
  const page = await (await client.get("/you/second-factor")).text();
  const [, secret = ""] = /name="secret" value="([A-Z2-7]{32})"/.exec(page) ?? [];
  const code = new TOTP({ secret: Secret.fromBase32(secret) }).generate();
  const on = await client.post("/you/second-factor", { secret, code, ...CURRENT });
  return [...new Set((await on.text()).match(/[A-Z2-7]{4}(-[A-Z2-7]{4}){3}/g) ?? [])];
}

it("does not apply to the operator's own user", async (t) => {
  const installation = await installWithOperator(t);
  const thief = await clientOf(installation.url);
  const [code = ""] = await turnOn(thief);
  const { id } = await userNamed(installation, OPERATOR.email);
  const off = `/operator/users/${id}/second-factor-off`;
  assert.equal((await thief.get(off)).status, 404);
  assert.equal((await thief.post(off)).status, 404);
  assert.equal((await thief.post(off, { ...CURRENT, code })).status, 404, "not even with password and code");
  assert.notEqual((await userNamed(installation, OPERATOR.email)).sealedTotp, null);
  const page = await (await thief.get("/operator/accounts/acc_default")).text();
  assert.ok(!page.includes(`/operator/users/${id}`), "no actions for the own user on the page");
  const signedIn = await postForm(`${installation.url}/dashboard/sign-in`, OPERATOR);
  assert.equal(signedIn.headers.get("location"), "/dashboard/sign-in/code");
});

it("requires the operator's password to turn off another user's second factor, and ends that user's sessions", async (t) => {
  const { installation, bob, operator, path } = await installWithBob(t);
  const off = `${path}/second-factor-off`;
  const isOn = async () => (await userNamed(installation, BOB.email)).sealedTotp !== null;
  const account = await (await operator.get("/operator/accounts/acc_default")).text();
  assert.match(account, new RegExp(`<a [^>]*href="/dashboard${off}\\?account=acc_default"`));
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

it("requires a code from an operator with a second factor, and spends it once", async (t) => {
  const { installation, operator, path } = await installWithBob(t);
  const [first = "", second = ""] = await turnOn(operator);
  const off = `${path}/second-factor-off`;
  assert.match(await (await operator.get(off)).text(), /name="code"/);
  assert.equal((await operator.post(off, CURRENT)).status, 400);
  assert.equal((await operator.post(off, { ...CURRENT, code: "000000" })).status, 400);
  assert.equal((await operator.post(off, { current: "not this one", code: first })).status, 400);
  assert.notEqual((await userNamed(installation, BOB.email)).sealedTotp, null);
  assert.equal((await operator.post(off, { ...CURRENT, code: first })).status, 302, "a wrong password spends no code");
  assert.equal((await operator.post(`${path}/remove`, { ...CURRENT, code: first })).status, 400, "a code counts once");
  assert.equal((await operator.post(`${path}/remove`, { ...CURRENT, code: second })).status, 302);
});

it("requires re-authentication to remove a user, and none to end sessions", async (t) => {
  const { installation, bob, operator, path } = await installWithBob(t);
  for (const fields of [{}, { current: "not this one" }]) {
    const refused = await operator.post(`${path}/remove`, fields);
    assert.equal(refused.status, 400);
    assert.match(await refused.text(), /Remove bob@shop\.example\?.*Your current password is wrong/s);
  }
  assert.equal((await bob.get("/you")).status, 200);
  assert.equal((await operator.post(`${path}/end-sessions`)).status, 302);
  assert.equal((await bob.get("/you")).status, 302);
  assert.equal((await operator.post(`${path}/remove`, CURRENT)).status, 302);
  assert.equal(await installation.service.people.userNamed(BOB.email), null);
});

it("requires re-authentication to add a user, whether or not an operator", async (t) => {
  const installation = await installWithOperator(t);
  const operator = await clientOf(installation.url);
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
  assert.equal(await installation.service.people.userNamed(eve.email), null);
  assert.equal((await create({ ...eve, ...CURRENT })).status, 302);
  assert.equal((await userNamed(installation, eve.email)).operator, true);
  assert.equal((await create(BOB)).status, 400);
  assert.equal(await installation.service.people.userNamed(BOB.email), null);
  assert.equal((await create({ ...BOB, ...CURRENT })).status, 302);
  assert.equal((await userNamed(installation, BOB.email)).operator, false);
});

it("counts wrong passwords of a re-authentication with the operator's other wrong passwords", async (t) => {
  const { installation, operator, path } = await installWithBob(t);
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
  assert.notEqual((await userNamed(installation, BOB.email)).sealedTotp, null);
});

it("shows the confirmation pages to operators only", async (t) => {
  const { installation, path } = await installWithBob(t);
  await installation.service.people.setTotp(path.split("/").at(-1) ?? "", null);
  const bob = await clientWith(
    installation.url,
    cookieOf(await postForm(`${installation.url}/dashboard/sign-in`, BOB)),
  );
  assert.equal((await bob.get("/you")).status, 200);
  for (const action of ["second-factor-off", "remove"]) {
    assert.equal((await bob.get(`${path}/${action}`)).status, 404);
    assert.equal((await bob.post(`${path}/${action}`, { current: BOB.password })).status, 404);
  }
});

it("asks for confirmation before it removes a user", async (t) => {
  const installation = await installWithOperator(t);
  const client = await clientOf(installation.url);
  await addUser(installation, "second", "bob@second.example");
  const account = await installation.service.registry.accountNamed("second");
  const page = await textOf(client, `/operator/accounts/${account?.id}`);
  const [, path = ""] = /href="\/dashboard(\/operator\/users\/[^"]+\/remove)\?account=/.exec(page) ?? [];
  assert.doesNotMatch(page, /action="[^"]*\/remove"/);
  assert.match(await textOf(client, `${path}?account=${account?.id}`), /Remove bob@second\.example\?/);
  const removed = await client.post(path, { account: account?.id ?? "", current: OPERATOR.password });
  assert.match(await textOf(client, pathOf(removed)), /User removed/);
  const [own] = await installation.service.people.users("acc_default");
  assert.equal((await client.get(`/operator/users/${own?.id}/remove`)).status, 404);
});
