/** The dashboard of two nodes behind one address: each request of a browser may reach another node than the one before. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Secret, TOTP } from "otpauth";
import { cheapHash } from "../support/cheap-hash.ts";
import { OPERATOR } from "../support/dashboard/installation.ts";
import { clientOf, clientWith, cookieOf, postForm } from "../support/dashboard/sign-in.ts";
import { missingPostgresOrTime } from "../support/postgres/installation.ts";
import { startTwoServices, type TwoServices } from "../support/postgres/two-services.ts";

const options = { skip: missingPostgresOrTime(), timeout: 60_000 };

async function addOperator({ second }: TwoServices): Promise<void> {
  const { email, password } = OPERATOR;
  const user = { email, accountId: "acc_default", passwordHash: cheapHash(password), operator: true };
  await second.registry.createUser({ ...user, createdAtMs: Date.now(), usersMax: 10 });
}

const pathOf = (url: string | null): string => new URL(url ?? "", "http://localhost").pathname;

test("the setup link of either node creates the first user at the other, once", options, async (t) => {
  const { world, second, urls } = await startTwoServices(t);
  const path = pathOf(world.service.setupUrl);
  assert.match(path, /^\/dashboard\/setup\/[\w-]{32}$/);
  assert.equal(pathOf(second.setupUrl), path);
  const created = await Promise.all(
    urls.map((url, i) => postForm(url + path, { ...OPERATOR, email: `user${i}@customers.example` })),
  );
  assert.deepEqual(created.map(({ status }) => status).sort(), [302, 404]);
  assert.equal((await second.people.users(null)).length, 1);
  for (const url of urls) assert.equal((await fetch(url + path)).status, 404);
});

test("a session that one node began is used and ended at the other", options, async (t) => {
  const services = await startTwoServices(t);
  await addOperator(services);
  const [one, two] = services.urls;
  const here = await clientOf(one);
  const there = await clientWith(two, here.cookie);
  assert.equal((await there.get("/you")).status, 200);
  assert.equal((await there.post("/sign-out")).status, 302);
  assert.equal((await here.get("/you")).status, 302);
});

test("wrong passwords are counted at both nodes together", options, async (t) => {
  const services = await startTwoServices(t);
  await addOperator(services);
  const guess = async (i: number, password: string) =>
    (await postForm(`${services.urls[i % 2]}/dashboard/sign-in`, { ...OPERATOR, password })).status;
  const statuses = [];
  for (let i = 0; i < 6; i += 1) statuses.push(await guess(i, "not this one"));
  assert.deepEqual(statuses, [401, 401, 401, 401, 401, 429]);
  for (const i of [0, 1]) assert.equal(await guess(i, OPERATOR.password), 429);
});

test("a sign-in goes on at the other node with its code, and ends there after five wrong ones", options, async (t) => {
  const services = await startTwoServices(t);
  await addOperator(services);
  const [one, two] = services.urls;
  const me = await clientOf(one);
  const page = await (await me.get("/you/second-factor")).text();
  const [, secret = ""] = /name="secret" value="([A-Z2-7]{32})"/.exec(page) ?? [];
  const codeAt = (timestamp: number): string => new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp });
  const code = codeAt(Date.now());
  await (await clientWith(two, me.cookie)).post("/you/second-factor", { secret, current: OPERATOR.password, code });

  const sendCode = (url: string, Cookie: string, sent: string) =>
    postForm(`${url}/dashboard/sign-in/code`, { code: sent }, { Cookie });
  const pending = cookieOf(await postForm(`${one}/dashboard/sign-in`, OPERATOR));
  const entered = await sendCode(two, pending, codeAt(Date.now() + 30_000));
  assert.deepEqual([entered.status, pathOf(entered.headers.get("location"))], [302, "/dashboard"]);

  const guessed = cookieOf(await postForm(`${one}/dashboard/sign-in`, OPERATOR));
  const statuses = [];
  for (let i = 0; i < 5; i += 1) statuses.push((await sendCode(i % 2 === 0 ? one : two, guessed, "000000")).status);
  assert.deepEqual(statuses, [401, 401, 401, 401, 401]);
  for (const url of services.urls) {
    assert.equal((await sendCode(url, guessed, "000000")).headers.get("location"), "/dashboard/sign-in");
  }
});

test("a new key is shown once, by the other node, and is stored nowhere but sealed", options, async (t) => {
  const services = await startTwoServices(t);
  await addOperator(services);
  const [one, two] = services.urls;
  const here = await clientOf(one);
  const there = await clientWith(two, here.cookie);
  const created = await here.post("/keys", { name: "web" });
  const path = (created.headers.get("location") ?? "").replace("/dashboard", "");
  const { rows } = await services.client.query("SELECT encode(sealed, 'escape') AS sealed FROM held_values");
  assert.equal(rows.length, 1);
  const page = await (await there.get(path)).text();
  const [key = ""] = /svc_live_[\w-]{43}/.exec(page) ?? [];
  assert.notEqual(key, "");
  for (const secret of [key, path.split("/").at(-1) ?? ""]) assert.ok(!JSON.stringify(rows).includes(secret));
  for (const client of [there, here]) assert.ok(!(await (await client.get(path)).text()).includes(key));
  assert.equal((await services.client.query("SELECT FROM held_values")).rowCount, 0);
});
