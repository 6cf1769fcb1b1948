/** A user of several accounts: joining, switching, what the role in each allows, and what ends with a membership. */
import assert from "node:assert/strict";
import { it, type TestContext } from "node:test";
import { hashLinkToken } from "../../../src/security/link-token.ts";
import type { Store } from "../../../src/spool/port/store.ts";
import { allEntries } from "../../support/audit-trail.ts";
import { addUser, type Installation, installWithOperator, OPERATOR } from "../../support/dashboard/installation.ts";
import { type Client, clientOf, clientWith, cookieOf, postForm } from "../../support/dashboard/sign-in.ts";

const ANN = "ann@shop.example";
const PASSWORD = "a long enough password";
const CURRENT = { current: PASSWORD };

interface Scene {
  installation: Installation;
  /** Owner of shop. */
  ann: Client;
  /** Owner of other. */
  eve: Client;
  ids: Record<"shop" | "other", string>;
  userId: string;
}

async function sceneOf(t: TestContext): Promise<Scene> {
  const installation = await installWithOperator(t);
  const { registry, people } = installation.service;
  const ann = await clientOf(installation.url, await addUser(installation, "shop", ANN));
  const eve = await clientOf(installation.url, await addUser(installation, "other", "eve@other.example"));
  const idOf = async (name: string) => (await registry.accountNamed(name))?.id ?? assert.fail();
  const userId = (await people.userNamed(ANN))?.id ?? assert.fail();
  return { installation, ann, eve, ids: { shop: await idOf("shop"), other: await idOf("other") }, userId };
}

/** The owner of the other account invites. Returns the path of the link below /dashboard. */
async function invite({ eve }: Scene, role: string, email = ANN): Promise<string> {
  const page = await eve.submit("/users/invite", { email, role, ...CURRENT });
  const [, path = ""] = /\/dashboard(\/invitation\/[\w-]{43})/.exec(page) ?? [];
  assert.notEqual(path, "", page);
  return path;
}

/** Ann joins the other account. Returns her client there, whose forms are of that account. */
async function join(scene: Scene, role: string): Promise<Client> {
  const joined = await scene.ann.post(`${await invite(scene, role)}/join`);
  assert.deepEqual([joined.status, joined.headers.get("location")], [302, "/dashboard"], await joined.text());
  return clientWith(scene.installation.url, scene.ann.cookie);
}

const textOf = async (client: Client, path: string): Promise<string> => (await client.get(path)).text();

async function isOfOtherAccount(answer: Response): Promise<void> {
  assert.equal(answer.status, 403);
  assert.match(await answer.text(), /This form was made for another account than your current account/);
}

const rolesOf = async ({ installation, userId }: Scene) =>
  (await installation.service.people.user(userId))?.memberships.map(({ accountId, role }) => [accountId, role]);

it("joins by the invitation's link while signed in, and has each account with its role", async (t) => {
  const scene = await sceneOf(t);
  const { ann, ids, installation } = scene;
  assert.doesNotMatch(await textOf(ann, "/you"), /\/dashboard\/you\/account/, "no switch with one account");
  const path = await invite(scene, "viewer");
  assert.deepEqual(await rolesOf(scene), [[ids.shop, "owner"]], "nothing happens before the person has acted");
  const page = await textOf(ann, path);
  assert.match(page, /Join other\?.*eve@other\.example invites you as viewer.*signed in as ann@shop\.example/s);
  assert.match(page, new RegExp(`<form method="post" action="/dashboard${path}/join"`));
  assert.deepEqual(await rolesOf(scene), [[ids.shop, "owner"]], "nor by opening the link");
  assert.equal((await ann.post(`${path}/join`)).status, 302);
  const both = [
    [ids.shop, "owner"],
    [ids.other, "viewer"],
  ];
  assert.deepEqual(await rolesOf(scene), both);
  const there = await clientWith(installation.url, ann.cookie);
  assert.match(await textOf(there, "/you"), /viewer of the account other/);
  assert.match(
    await textOf(there, "/messages"),
    /<details class="switcher">.*<strong>other<\/strong>.*Switch to shop/s,
  );
  assert.equal((await there.post("/you/account", { account: ids.shop })).status, 302);
  assert.match(await textOf(there, "/you"), /owner of the account shop/);
  assert.equal((await ann.get(path)).status, 404, "the link is used");
});

it("joins by the link after signing in, which keeps the user's password, and tells no visitor about the user", async (t) => {
  const scene = await sceneOf(t);
  const { url } = scene.installation;
  const path = await invite(scene, "developer");
  const known = await (await fetch(`${url}/dashboard${path}`)).text();
  const other = await invite(scene, "developer", "new@shop.example");
  const unknown = await (await fetch(`${url}/dashboard${other}`)).text();
  assert.equal(
    known.replaceAll(path.slice(-43), "").replaceAll(ANN, "new@shop.example"),
    unknown.replaceAll(other.slice(-43), ""),
  );
  const next = encodeURIComponent(`/dashboard${path}`);
  assert.ok(known.includes(`href="/dashboard/sign-in?next=${next}"`), known);
  const taken = await postForm(`${url}/dashboard${path}`, { password: "another long password" });
  assert.equal(taken.status, 409);
  assert.match(await taken.text(), /already has a user.*Sign in to join/s);
  const signedIn = await postForm(`${url}/dashboard/sign-in`, {
    email: ANN,
    password: PASSWORD,
    next: `/dashboard${path}`,
  });
  assert.equal(signedIn.headers.get("location"), `/dashboard${path}`);
  const client = await clientWith(url, cookieOf(signedIn));
  assert.match(await textOf(client, path), /Join other\?/);
  assert.equal((await client.post(`${path}/join`)).status, 302);
  assert.deepEqual((await rolesOf(scene))?.[1], [scene.ids.other, "developer"]);
});

it("an invitation for another address is accepted by nobody else", async (t) => {
  const scene = await sceneOf(t);
  const path = await invite(scene, "owner", "new@shop.example");
  const { ann, ids } = scene;
  const page = await textOf(ann, path);
  assert.match(page, /This invitation is for another email address/);
  assert.doesNotMatch(page, /\/join"/);
  assert.equal((await ann.post(`${path}/join`)).status, 403);
  assert.equal((await ann.post(`${path}/join`, { form_token: "x" })).status, 403, "nor from another site");
  assert.deepEqual(await rolesOf(scene), [[ids.shop, "owner"]]);
  const { registry } = scene.installation.service;
  assert.equal((await registry.invitations(ids.other, Date.now())).length, 1, "it is still open");
});

it("a role in one account does not count in the other, nor do its forms and ids", async (t) => {
  const scene = await sceneOf(t);
  const { ids, installation, ann: former } = scene;
  const { people } = installation.service;
  const ann = await join(scene, "viewer");
  const eveId = (await people.userNamed("eve@other.example"))?.id ?? "";
  assert.equal((await ann.post("/users/invite", { email: "x@shop.example", role: "owner", ...CURRENT })).status, 403);
  assert.equal((await ann.post(`/users/${eveId}/remove`, CURRENT)).status, 403);
  assert.equal((await ann.get("/audit")).status, 403);
  assert.equal((await ann.post("/keys", { name: "k" })).status, 403);
  // A page of the former account, from before the switch.
  const stale = await former.post("/users/invite", { email: "x@shop.example", role: "owner", ...CURRENT });
  await isOfOtherAccount(stale);
  await ann.post("/you/account", { account: ids.shop });
  const back = await clientWith(installation.url, ann.cookie);
  assert.equal((await back.get("/audit")).status, 200);
  assert.equal((await back.post(`/users/${eveId}/remove`, CURRENT)).status, 404, "a user of the other account");
  assert.equal((await installation.service.registry.invitations(ids.shop, Date.now())).length, 0);
});

it("a session goes to no account that the user does not belong to, whatever the form or the spool says", async (t) => {
  const scene = await sceneOf(t);
  const { ids, installation, userId } = scene;
  const { people } = installation.service;
  const { ann } = scene;
  for (const account of [ids.other, "acc_default", "", "none", ids.shop]) {
    assert.equal((await ann.post("/you/account", { account })).status, 404, account);
  }
  assert.equal((await ann.post("/operator/look", { account: ids.other })).status, 404);
  const tampered = ann.formToken.replace(ids.shop, ids.other);
  assert.notEqual(tampered, ann.formToken);
  await isOfOtherAccount(await ann.post("/you/notices", { form_token: tampered }));
  assert.equal((await ann.post("/you/account", { account: ids.shop, form_token: "x" })).status, 403);
  const [session] = await people.sessions(userId);
  await people.switchAccount(session?.hash ?? assert.fail(), ids.other);
  assert.match(await textOf(ann, "/you"), /owner of the account shop/);
});

it("a removed membership is lost at once, the user goes with the last one, and an account's owner removes from it alone", async (t) => {
  const scene = await sceneOf(t);
  const { ids, eve, installation, userId } = scene;
  const ann = await join(scene, "developer");
  assert.equal((await eve.post(`/users/${userId}/remove`, CURRENT)).status, 302);
  assert.match(await textOf(ann, "/you"), /owner of the account shop/);
  await isOfOtherAccount(await ann.post("/keys", { name: "k" }));
  assert.deepEqual(await rolesOf(scene), [[ids.shop, "owner"]]);
  assert.equal((await eve.post(`/users/${userId}/remove`, CURRENT)).status, 404);
  const operator = await clientOf(installation.url);
  const removal = { current: OPERATOR.password };
  assert.equal(
    (await operator.post(`/operator/users/${userId}/remove`, { ...removal, account: ids.shop })).status,
    302,
  );
  assert.deepEqual([await rolesOf(scene), (await ann.get("/you")).status], [undefined, 302]);
});

it("an operator manages a user in the account that the page is of", async (t) => {
  const scene = await sceneOf(t);
  const { ids, installation, userId } = scene;
  await join(scene, "viewer");
  const operator = await clientOf(installation.url);
  const page = await textOf(operator, `/operator/accounts/${ids.other}`);
  assert.match(page, new RegExp(`/operator/users/${userId}/role\\?account=${ids.other}"`));
  assert.match(
    await textOf(operator, `/operator/users/${userId}/role?account=${ids.other}`),
    /name="account" value="acc_/,
  );
  const change = { role: "developer", account: ids.other, current: OPERATOR.password };
  const changed = await operator.post(`/operator/users/${userId}/role`, change);
  assert.match(changed.headers.get("location") ?? "", new RegExp(ids.other));
  assert.deepEqual(await rolesOf(scene), [
    [ids.shop, "owner"],
    [ids.other, "developer"],
  ]);
});

it("an operator's form for an account that the user has left acts on no other one", async (t) => {
  const scene = await sceneOf(t);
  const { ids, eve, installation, userId } = scene;
  await join(scene, "viewer");
  const operator = await clientOf(installation.url);
  const own = await textOf(operator, `/operator/users/${userId}/remove?account=${ids.shop}`);
  assert.ok(own.includes(`name="account" value="${ids.shop}"`), "the own account is named as well");
  assert.equal((await eve.post(`/users/${userId}/remove`, CURRENT)).status, 302);
  for (const account of [ids.other, "acc_none"]) {
    const of = { account, current: OPERATOR.password };
    assert.equal((await operator.get(`/operator/users/${userId}/remove?account=${account}`)).status, 404);
    assert.equal((await operator.post(`/operator/users/${userId}/remove`, of)).status, 404);
    assert.equal((await operator.post(`/operator/users/${userId}/role`, { ...of, role: "viewer" })).status, 404);
    assert.equal((await operator.post(`/operator/users/${userId}/end-sessions`, of)).status, 404);
  }
  assert.deepEqual(await rolesOf(scene), [[ids.shop, "owner"]]);
});

it("a form of an account that the user has lost since is filled in nowhere", async (t) => {
  const scene = await sceneOf(t);
  const { eve, installation, userId } = scene;
  const { url } = installation;
  const keptAfter = async (client: Client): Promise<string> => {
    await eve.post(`/users/${userId}/end-sessions`);
    const typed = { email: "bob@kept.example", role: "owner", ...CURRENT };
    const ended = await client.post("/users/invite", typed, { Referer: `${url}/dashboard/users` });
    const [, kept = ""] = /name="kept" value="([^"]+)"/.exec(await ended.text()) ?? [];
    assert.notEqual(kept, "");
    return kept;
  };
  const pageAfter = async (kept: string): Promise<string> => {
    const signedIn = await postForm(`${url}/dashboard/sign-in`, { email: ANN, password: PASSWORD, next: "", kept });
    const location = signedIn.headers.get("location") ?? "";
    return (await fetch(new URL(location, url), { headers: { Cookie: cookieOf(signedIn) } })).text();
  };
  const kept = await keptAfter(await join(scene, "owner"));
  assert.match(await pageAfter(kept), /bob@kept\.example/, "while the user has it");
  assert.equal((await eve.post(`/users/${userId}/remove`, CURRENT)).status, 302);
  assert.doesNotMatch(await pageAfter(kept), /bob@kept\.example/);
});

it("an owner of one account does not weaken the sign-in to another one", async (t) => {
  const scene = await sceneOf(t);
  const { eve, installation, userId } = scene;
  const { people } = installation.service;
  await people.setTotp(userId, { sealed: Buffer.from("sealed"), recoveryHashes: [] });
  await join(scene, "viewer");
  const off = `/users/${userId}/second-factor-off`;
  assert.deepEqual([(await eve.get(off)).status, (await eve.post(off, CURRENT)).status], [403, 403]);
  assert.notEqual((await people.user(userId))?.sealedTotp, null);
  const operator = await clientOf(installation.url);
  assert.equal((await operator.post(`/operator${off}`, { current: OPERATOR.password })).status, 302);
});

it("the audit trail of each account has what was done in it, and nothing of the other one", async (t) => {
  const scene = await sceneOf(t);
  const { ids, installation } = scene;
  const store = installation.service.spool as Store;
  const ann = await join(scene, "developer");
  await ann.post("/keys", { name: "of other" });
  await ann.post("/you/account", { account: ids.shop });
  const back = await clientWith(installation.url, ann.cookie);
  await back.post("/keys", { name: "of shop" });
  await back.post("/you/account", { account: ids.other });
  const entries = (await allEntries(store)).filter(({ actor }) => actor.name === ANN);
  const of = (accountId: string) =>
    entries.filter((entry) => entry.accountId === accountId).map(({ action, target }) => [action, target.name]);
  assert.deepEqual(of(ids.other).toSorted(), [
    ["account.entered", "other"],
    ["invitation.accepted", ANN],
    ["key.created", "of other"],
  ]);
  assert.deepEqual(of(ids.shop).toSorted(), [
    ["account.entered", "shop"],
    ["key.created", "of shop"],
    ["sign_in", ANN],
  ]);
  const entered = entries.filter(({ action }) => action === "account.entered");
  assert.deepEqual(
    entered.map(({ before, after }) => [before, after]),
    [
      [null, null],
      [null, null],
    ],
  );
});

it("a membership by a group does not count in a session with a password", async (t) => {
  const scene = await sceneOf(t);
  const { ids, installation } = scene;
  const { registry } = installation.service;
  // As somebody whose first account is that of a group, and who has joined another one by an invitation.
  const grants = [{ accountId: ids.other, role: "owner" as const }];
  const person = { issuer: "https://id.example", subject: "s", email: "dan@shop.example", passwordHash: "none" };
  const entry = await registry.enterByProvider({ ...person, grants, nowMs: Date.now(), usersMax: 10 });
  assert.ok(entry.type === "entered");
  const invitation = { id: "inv_1", hash: hashLinkToken("link"), accountId: ids.shop, role: "viewer" as const };
  await registry.createInvitation({
    ...invitation,
    email: person.email,
    invitedBy: ANN,
    createdAtMs: Date.now(),
    usersMax: 10,
  });
  const use = { hash: invitation.hash, userId: entry.user.id, nowMs: Date.now() };
  assert.equal(await registry.joinByInvitation(use), "joined");
  const { userInSession } = await import("../../../src/dashboard/auth/password-rule.ts");
  const user = (await installation.service.people.user(entry.user.id)) ?? assert.fail();
  const parts = { passwordSignIn: "on" as const, provider: {} as never };
  const seen = (by: "password" | "provider") =>
    userInSession(parts, user, by)?.memberships.map(({ accountId }) => accountId);
  assert.deepEqual([seen("password"), seen("provider")], [[ids.shop], [ids.other, ids.shop]]);
  const groupsAlone = { ...user, memberships: [user.memberships[0]] as const };
  assert.equal(userInSession(parts, groupsAlone, "password"), null);
  assert.equal(userInSession({ ...parts, passwordSignIn: "operators" }, user, "password"), null);
});
