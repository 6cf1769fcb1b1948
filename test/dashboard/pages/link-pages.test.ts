/** Invitations and forgotten passwords, from the link to the session. */
import assert from "node:assert/strict";
import { it, type TestContext } from "node:test";
import { setTimeout } from "node:timers/promises";
import { createResolver } from "../../../src/dns/stub-resolver.ts";
import { INVITATION_MS } from "../../../src/spool/port/invitations.ts";
import { PASSWORD_RESETS_MAX } from "../../../src/spool/port/password-resets.ts";
import type { Reports } from "../../../src/spool/port/reports.ts";
import type { Spool } from "../../../src/spool/port/spool.ts";
import { cheapHash } from "../../support/cheap-hash.ts";
import { addUser, type Installation, installWithOperator, OPERATOR } from "../../support/dashboard/installation.ts";
import { type Client, clientOf, clientWith, cookieOf, postForm } from "../../support/dashboard/sign-in.ts";
import { bindVerified } from "../../support/world.ts";

const NEW_PASSWORD = "a password of my own";

async function addOwner(installation: Installation, email: string): Promise<Client> {
  const passwordHash = cheapHash(NEW_PASSWORD);
  const user = { email, accountId: "acc_default", passwordHash, operator: false, createdAtMs: 1, usersMax: 10 };
  await installation.service.registry.createUser(user);
  return clientOf(installation.url, { email, password: NEW_PASSWORD });
}

async function verifyShop({ service, zone, certsDir }: Installation): Promise<void> {
  const resolver = createResolver({ servers: [zone.address] });
  await bindVerified({ service, zone, resolver, certsDir }, "shop.example");
}

const CURRENT = { current: NEW_PASSWORD };

/** An operator invites. Returns the path of the link. */
async function invite(operator: Client, fields: Record<string, string>): Promise<string> {
  const page = await operator.submit("/users/invite", { ...fields, current: OPERATOR.password });
  const [, path = ""] = /(\/dashboard\/invitation\/[\w-]{43})/.exec(page) ?? [];
  assert.notEqual(path, "", page);
  return path;
}

const pageOf = async ({ url }: Installation, path: string): Promise<string> => (await fetch(`${url}${path}`)).text();

async function until<T>(find: () => Promise<T | undefined>): Promise<T> {
  for (let looks = 0; looks < 400; looks += 1) {
    const found = await find();
    if (found !== undefined) return found;
    await setTimeout(25);
  }
  return assert.fail("condition not met in time");
}

/** The link in the newest message with this subject, which only the spool itself shows. */
async function linkOf({ service, url }: Installation, subject: string): Promise<string> {
  const { reports } = service.spool as Spool & { reports: Reports };
  return until(async () => {
    const { messages } = await reports.find({ accountId: "acc_default", limit: 10 });
    const found = messages.find((message) => message.subject.startsWith(subject));
    const content = found === undefined ? null : await reports.contentOf("acc_default", found.id);
    const text = content?.toString().replace(/=\r\n/g, "") ?? "";
    const path = /\/dashboard\/[\w-]+\/[\w-]{43}/.exec(text)?.[0];
    return path === undefined ? undefined : `${url}${path}`;
  });
}

it("an invitation is used once, by a person who chooses a password, and gives the role", async (t: TestContext) => {
  const installation = await installWithOperator(t);
  const operator = await clientOf(installation.url);
  const path = await invite(operator, { email: "bob@shop.example", role: "viewer" });
  assert.match(await (await operator.get("/users")).text(), /Open invitations.*bob@shop\.example/s);
  const url = `${installation.url}${path}`;
  assert.match(await (await fetch(url)).text(), /Join default.*bob@shop\.example/s);
  const short = await postForm(url, { password: "short" });
  assert.equal(short.status, 400);
  const accepted = await postForm(url, { password: NEW_PASSWORD });
  assert.equal(accepted.status, 302, await accepted.text());
  const bob = await clientWith(installation.url, cookieOf(accepted));
  assert.match(await (await bob.get("/you")).text(), /viewer of the account default/);
  for (const answer of [await fetch(url), await postForm(url, { password: NEW_PASSWORD })]) {
    assert.equal(answer.status, 404);
    assert.match(
      await answer.text(),
      /<h1>This invitation is no longer valid<\/h1>.*sign in with the password.*Sign in/s,
    );
  }
  assert.ok(!installation.logged.join("").includes(path.slice(-43)), "the link is not logged");
});

it("an invitation can be revoked, and its link is shown once", async (t) => {
  const installation = await installWithOperator(t);
  const owner = await clientOf(installation.url);
  const bob = { email: "bob@shop.example", role: "developer", current: OPERATOR.password };
  const answer = await owner.post("/users/invite", bob);
  const shown = (answer.headers.get("location") ?? "").replace("/dashboard", "");
  const [, path = ""] = /(\/dashboard\/invitation\/[\w-]{43})/.exec(await (await owner.get(shown)).text()) ?? [];
  assert.doesNotMatch(await (await owner.get(shown)).text(), /dashboard\/invitation/);
  const page = await (await owner.get("/users")).text();
  const [, revoke = ""] = /action="\/dashboard(\/users\/invitations\/[^"]+\/revoke)"/.exec(page) ?? [];
  assert.match(await owner.submit(revoke), /Invitation revoked/);
  const ended = await fetch(`${installation.url}${path}`);
  const [revoked, unknown] = [await ended.text(), await pageOf(installation, path.replace(/.{43}$/, "x".repeat(43)))];
  assert.equal(ended.status, 404);
  assert.match(revoked, /ask the person who invited you for another invitation/);
  assert.equal(revoked, unknown, "a guess shows the same");
  assert.doesNotMatch(revoked, /bob@|ann@|default/);
  assert.equal((await owner.post(revoke)).status, 404);
});

it("an owner learns nothing about users of other accounts, and needs the password to invite a user", async (t) => {
  const installation = await installWithOperator(t);
  await verifyShop(installation);
  const owner = await addOwner(installation, "ann@shop.example");
  await addUser(installation, "other", "eve@other.example");
  const own = await owner.post("/users/invite", { email: "ann@shop.example", role: "viewer", ...CURRENT });
  assert.equal(own.status, 400);
  assert.match(await own.text(), /This account already has a user/);
  const answers: string[] = [];
  for (const email of ["eve@other.example", "new@other.example"]) {
    const page = await owner.submit("/users/invite", { email, role: "viewer", ...CURRENT });
    assert.match(page, /The link was sent to .* from shop\.example/);
    answers.push(page.replaceAll(email, "ADDRESS").replace(/(name="form_token" value="|invitation\/)[\w-]+/g, "$1"));
  }
  assert.equal(answers[0], answers[1]);
  for (const role of ["owner", "viewer"]) {
    const without = await owner.post("/users/invite", { email: "bob@shop.example", role });
    assert.equal(without.status, 400);
    assert.match(await without.text(), /Your current password is wrong/);
  }
});

it("a new password does not make a second user of an email address, nor change the one that there is", async (t) => {
  const installation = await installWithOperator(t);
  const operator = await clientOf(installation.url);
  const path = await invite(operator, { email: "eve@other.example", role: "viewer" });
  const eve = await addUser(installation, "other", "eve@other.example");
  const shown = await fetch(`${installation.url}${path}`);
  assert.deepEqual([shown.status, /Join default/.test(await shown.text())], [200, true], "only a sent form tells");
  const answer = await postForm(`${installation.url}${path}`, { password: NEW_PASSWORD });
  assert.equal(answer.status, 409);
  const page = await answer.text();
  assert.match(page, /This email address already has a user/);
  assert.doesNotMatch(page, /name="password"/);
  assert.match(await (await (await clientOf(installation.url, eve)).get("/you")).text(), /owner of the account other/);
});

it("an owner's invitation that cannot be sent has its link", async (t) => {
  const installation = await installWithOperator(t);
  const owner = await addOwner(installation, "ann@shop.example");
  const page = await owner.submit("/users/invite", { email: "bob@shop.example", role: "viewer", ...CURRENT });
  assert.match(page, /No message was sent, .*\/dashboard\/invitation\/[\w-]{43}/s);
});

it("owners manage their users, but not operators and those of other accounts", async (t) => {
  const installation = await installWithOperator(t);
  const { people } = installation.service;
  const owner = await addOwner(installation, "ann@shop.example");
  await addOwner(installation, "bob@shop.example");
  await addUser(installation, "other", "eve@other.example");
  const idOf = async (email: string) => (await people.userNamed(email))?.id ?? assert.fail(email);
  for (const email of [OPERATOR.email, "eve@other.example"]) {
    const id = await idOf(email);
    for (const path of ["role", "remove"]) {
      assert.equal((await owner.get(`/users/${id}/${path}`)).status, 404, email);
      assert.equal((await owner.post(`/users/${id}/${path}`, { role: "viewer", current: NEW_PASSWORD })).status, 404);
    }
  }
  const bob = await idOf("bob@shop.example");
  assert.equal((await owner.post(`/users/${bob}/role`, { role: "viewer", current: "wrong" })).status, 400);
  assert.match(await owner.submit(`/users/${bob}/role`, { role: "viewer", current: NEW_PASSWORD }), /Role changed/);
  assert.equal((await people.user(bob))?.memberships[0].role, "viewer");
  assert.match(await owner.submit(`/users/${bob}/remove`, { current: NEW_PASSWORD }), /User removed/);
  assert.equal(await people.user(bob), null);
});

it("an invitation is sent from a verified domain, and nobody can read it in the dashboard", async (t) => {
  const installation = await installWithOperator(t);
  await verifyShop(installation);
  const owner = await addOwner(installation, "ann@shop.example");
  const page = await owner.submit("/users/invite", { email: "bob@customers.example", role: "viewer", ...CURRENT });
  assert.match(page, /sent to bob@customers\.example from shop\.example/);
  const list = await (await owner.get("/messages")).text();
  const [, id = ""] = /\/dashboard\/messages\/(msg_[\w-]+)/.exec(list) ?? [];
  assert.notEqual(id, "");
  assert.doesNotMatch(await (await owner.get(`/messages/${id}`)).text(), /dashboard\/invitation/);
  assert.equal((await owner.get(`/messages/${id}/source`)).status, 404);
  assert.match(await (await fetch(await linkOf(installation, "Invitation"))).text(), /Join default/);
});

it("a forgotten password gets the same answer whoever asks, and one link ends all sessions", async (t) => {
  const installation = await installWithOperator(t);
  await verifyShop(installation);
  const { people } = installation.service;
  const owner = await addOwner(installation, "ann@customers.example");
  const forgotten = `${installation.url}/dashboard/sign-in/forgotten`;
  const known = await (await postForm(forgotten, { email: "ann@customers.example" })).text();
  const unknown = await (await postForm(forgotten, { email: "nobody@customers.example" })).text();
  assert.equal(known, unknown);
  await until(async () => installation.logged.find((line) => line.includes("password reset sent")));
  assert.equal(installation.logged.filter((line) => line.includes("password reset for an unknown")).length, 1);
  const list = await (await owner.get("/messages")).text();
  assert.match(list, /A new password for Postrider/);
  const link = await linkOf(installation, "A new password");
  assert.equal((await postForm(link, { password: "another long password" })).status, 302);
  assert.equal((await owner.get("/you")).status, 302, "the session has ended");
  assert.notEqual((await people.userNamed("ann@customers.example"))?.passwordHash, cheapHash(NEW_PASSWORD));
});

it("requests of strangers for a new password neither keep the user from asking nor end the user's link", async (t) => {
  const installation = await installWithOperator(t, { env: { TRUST_PROXY: "1" } });
  await verifyShop(installation);
  await addOwner(installation, "ann@customers.example");
  const ask = (email: string, from: string) =>
    postForm(`${installation.url}/dashboard/sign-in/forgotten`, { email }, { "X-Forwarded-For": from });
  const countOf = (text: string) => installation.logged.filter((line) => line.includes(text)).length;
  const first = await (await ask("ann@customers.example", "203.0.113.1")).text();
  await until(async () => (countOf("password reset sent") === 1 ? true : undefined));
  const link = await linkOf(installation, "A new password");
  for (let i = 2; i <= 7; i += 1) {
    const answer = await ask("ann@customers.example", `203.0.113.${i}`);
    assert.deepEqual([answer.status, await answer.text()], [200, first]);
    await until(async () => (countOf("password reset sent") + countOf("too many recently") === i ? true : undefined));
  }
  assert.equal(countOf("password reset sent"), PASSWORD_RESETS_MAX);
  assert.equal((await postForm(link, { password: "another long password" })).status, 302);
  for (let i = 0; i < 20; i += 1) assert.equal((await ask(`user${i}@customers.example`, "203.0.113.99")).status, 200);
  for (const email of ["ann@customers.example", "nobody@customers.example"]) {
    assert.equal((await ask(email, "203.0.113.99")).status, 429, "of one network");
  }
});

it("a link for a new password works once, and the second factor stays", async (t) => {
  const installation = await installWithOperator(t);
  const { hashLinkToken } = await import("../../../src/security/link-token.ts");
  const { people } = installation.service;
  const client = await clientOf(installation.url);
  const user = await people.userNamed(OPERATOR.email);
  assert.ok(user !== null);
  await people.createPasswordReset({ hash: hashLinkToken("token"), userId: user.id, createdAtMs: Date.now() });
  const url = `${installation.url}/dashboard/new-password/token`;
  assert.match(await (await fetch(url)).text(), /Choose a new password/);
  assert.equal((await postForm(url, { password: "short" })).status, 400);
  const changed = await postForm(url, { password: NEW_PASSWORD });
  assert.equal(changed.headers.get("location"), "/dashboard/sign-in?done=password");
  assert.equal((await client.get("/you")).status, 302, "its sessions have ended");
  assert.equal((await postForm(url, { password: NEW_PASSWORD })).status, 404);
  await people.setTotp(user.id, { sealed: Buffer.from("sealed"), recoveryHashes: [] });
  const signedIn = await postForm(`${installation.url}/dashboard/sign-in`, { ...OPERATOR, password: NEW_PASSWORD });
  assert.equal(signedIn.headers.get("location"), "/dashboard/sign-in/code");
});

it("an invitation that is too old is no longer valid", async (t) => {
  const installation = await installWithOperator(t);
  const { registry } = installation.service;
  const { hashLinkToken } = await import("../../../src/security/link-token.ts");
  const createdAtMs = Date.now() - INVITATION_MS;
  const parts = {
    accountId: "acc_default",
    email: "bob@shop.example",
    role: "viewer",
    invitedBy: "x",
    usersMax: 9,
  } as const;
  await registry.createInvitation({ id: "inv_1", hash: hashLinkToken("token"), createdAtMs, ...parts });
  assert.equal((await fetch(`${installation.url}/dashboard/invitation/token`)).status, 404);
});
