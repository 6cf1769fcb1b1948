/** Signing in by the company's identity provider: whom it lets in, whom it refuses, and how sessions end. */
import assert from "node:assert/strict";
import { it } from "node:test";
import { hashLinkToken } from "../../src/security/link-token.ts";
import type { User } from "../../src/spool/port/people.ts";
import type { Store } from "../../src/spool/port/store.ts";
import { entriesOf } from "../support/audit-trail.ts";
import { cheapHash } from "../support/cheap-hash.ts";
import { addUser, OPERATOR } from "../support/dashboard/installation.ts";
import {
  Browser,
  beginByProvider,
  RETURN,
  returnUrlOf,
  signInByProvider,
} from "../support/dashboard/provider-sign-in.ts";
import { cookieOf, postForm } from "../support/dashboard/sign-in.ts";
import { signInAs, startWithProvider, verified } from "../support/dashboard/with-provider.ts";
import type { Person } from "../support/identity-provider.ts";

const membershipsOf = (user: User | null) =>
  user?.memberships.map(({ accountId, role, byGroup }) => [accountId, role, byGroup]);

const GROUPS = { OIDC_GROUPS: "Mail owners=shop:owner, mail=shop:viewer" };

it("an existing user signs in by the verified email address, later by the subject, without password and factor", async (t) => {
  const { provider, installation, service } = await startWithProvider(t);
  const { email } = await addUser(installation, "shop", "ann@shop.example");
  const user = await service.people.userNamed(email);
  await service.people.setTotp(user?.id ?? "", { sealed: Buffer.from("x"), recoveryHashes: [] });
  assert.equal((await signInAs(provider, installation, verified("p1", "ANN@shop.example"))).path, "/dashboard/start");
  const renamed = await signInAs(provider, installation, verified("p1", "ann.b@shop.example"));
  assert.equal(renamed.path, "/dashboard/start");
  const sessions = await service.people.sessions(user?.id ?? "");
  assert.deepEqual(
    sessions.map(({ userId, providerSid }) => [userId, providerSid !== null && providerSid !== ""]),
    [
      [user?.id, true],
      [user?.id, true],
    ],
  );
  const entries = await entriesOf(service.spool as Store, ["user.provider_linked", "sign_in"]);
  assert.deepEqual(
    entries.map(({ action, actor, after }) => [action, actor.name, after?.by ?? null]),
    [
      ["sign_in", email, "identity provider"],
      ["sign_in", email, "identity provider"],
      ["user.provider_linked", email, null],
    ],
  );
});

it("an invited person gets the account and the role of the invitation, once", async (t) => {
  const { provider, installation, service } = await startWithProvider(t);
  await addUser(installation, "shop", "ann@shop.example");
  const shop = await service.registry.accountNamed("shop");
  const invitation = {
    id: "inv_1",
    hash: hashLinkToken("link"),
    accountId: shop?.id ?? "",
    role: "developer" as const,
  };
  const parts = { email: "Bob@shop.example", invitedBy: "ann@shop.example", createdAtMs: Date.now(), usersMax: 10 };
  await service.registry.createInvitation({ ...invitation, ...parts });
  const page = await (await fetch(`${installation.url}/dashboard/invitation/link`)).text();
  assert.match(page, /where your email address must be Bob@shop\.example/);
  assert.equal((await signInAs(provider, installation, verified("p2", "bob@shop.example"))).path, "/dashboard/start");
  const bob = await service.people.userNamed("bob@shop.example");
  assert.deepEqual([membershipsOf(bob), bob?.operator], [[[shop?.id, "developer", false]], false]);
  assert.deepEqual(await service.registry.invitations(shop?.id ?? "", Date.now()), []);
  const [entry] = await entriesOf(service.spool as Store, ["invitation.accepted"]);
  assert.deepEqual(entry?.after, { role: "developer", invited_by: "ann@shop.example", by: "identity provider" });
});

it("a group gives account and role, which follow it, and who leaves the groups is signed out and refused", async (t) => {
  const { provider, installation, service } = await startWithProvider(t, GROUPS);
  const made = await service.registry.createAccount("shop", Date.now());
  assert.ok(made !== "exists");
  const cleo = (...groups: string[]) => ({ ...verified("p3", "cleo@shop.example"), groups });
  assert.equal((await signInAs(provider, installation, cleo("sales", "mail"))).path, "/dashboard/start");
  const roleNow = async () => {
    const user = await service.people.userNamed("cleo@shop.example");
    return user?.memberships.flatMap(({ accountId, role }) => [accountId, role]);
  };
  assert.deepEqual(await roleNow(), [made.id, "viewer"]);
  await signInAs(provider, installation, cleo("mail", "Mail owners"));
  assert.deepEqual(await roleNow(), [made.id, "owner"]);
  const { browser } = await signInAs(provider, installation, cleo("mail"));
  assert.deepEqual(await roleNow(), [made.id, "viewer"]);
  const refused = await signInAs(provider, installation, cleo("sales"));
  assert.equal(refused.status, 403);
  assert.match(refused.html, /None of your groups .* any more/);
  const ended = await browser.request(`${installation.url}/dashboard/messages`);
  assert.match(ended.headers.get("location") ?? "", /^\/dashboard\/sign-in\?done=ended/);
  const [failed] = await entriesOf(service.spool as Store, ["sign_in_failed"]);
  assert.deepEqual([failed?.target.name, failed?.after], ["cleo@shop.example", { wrong: "identity provider" }]);
  const roles = await entriesOf(service.spool as Store, ["user.role_changed", "user.created"]);
  assert.deepEqual(
    roles.map(({ action, after }) => [action, after?.role, after?.by]),
    [
      ["user.role_changed", "viewer", "group"],
      ["user.role_changed", "owner", "group"],
      ["user.created", "viewer", "group"],
    ],
  );
});

it("several groups give several accounts, and those that are left are lost at the next sign-in", async (t) => {
  const groups = { OIDC_GROUPS: "mail=shop:viewer, mail owners=shop:owner, billing=other:developer" };
  const { provider, installation, service } = await startWithProvider(t, groups);
  for (const name of ["shop", "other"]) await service.registry.createAccount(name, Date.now());
  const [shop, other] = [await service.registry.accountNamed("shop"), await service.registry.accountNamed("other")];
  const cleo = (...of: string[]) => ({ ...verified("p3", "cleo@shop.example"), groups: of });
  const { browser } = await signInAs(provider, installation, cleo("billing", "mail owners", "mail"));
  const now = async () => membershipsOf(await service.people.userNamed("cleo@shop.example"));
  assert.deepEqual(await now(), [
    [shop?.id, "viewer", true],
    [other?.id, "developer", true],
  ]);
  const you = async () => (await browser.request(`${installation.url}/dashboard/you`)).text();
  const [, formToken = ""] = /name="form_token" value="([^"]+)"/.exec(await you()) ?? [];
  const fields = { form_token: formToken, account: other?.id ?? "" };
  assert.equal((await browser.post(`${installation.url}/dashboard/you/account`, fields)).status, 302);
  assert.match(await you(), /developer of the account other/);
  await signInAs(provider, installation, cleo("mail"));
  assert.deepEqual(await now(), [[shop?.id, "viewer", true]]);
  assert.match(await you(), /viewer of the account shop/, "in the other browser too");
  const entries = await entriesOf(service.spool as Store, ["user.joined", "user.removed"]);
  assert.deepEqual(
    entries.map(({ action, accountId }) => [action, accountId]),
    [
      ["user.removed", other?.id],
      ["user.joined", other?.id],
    ],
  );
});

it("a user of another account joins by the invitation's link and a sign-in at the provider, not by the sign-in alone", async (t) => {
  const { provider, installation, service } = await startWithProvider(t);
  await addUser(installation, "shop", "ann@shop.example");
  const made = await service.registry.createAccount("other", Date.now());
  assert.ok(made !== "exists");
  const invitation = { id: "inv_1", hash: hashLinkToken("link"), accountId: made.id, role: "viewer" as const };
  const parts = { email: "ann@shop.example", invitedBy: "eve@other.example", createdAtMs: Date.now(), usersMax: 10 };
  await service.registry.createInvitation({ ...invitation, ...parts });
  const now = async () => (await service.people.userNamed("ann@shop.example"))?.memberships.length;
  await signInAs(provider, installation, verified("p1", "ann@shop.example"));
  assert.equal(await now(), 1);
  const browser = new Browser();
  const page = await signInByProvider(browser, installation.url, { next: "/dashboard/invitation/link" });
  assert.deepEqual([page.path, /Join other\?/.test(page.html)], ["/dashboard/invitation/link", true]);
  assert.equal(await now(), 1);
  const [, formToken = ""] = /name="form_token" value="([^"]+)"/.exec(page.html) ?? [];
  await browser.post(`${installation.url}/dashboard/invitation/link/join`, { form_token: formToken });
  assert.equal(await now(), 2);
});

it("a new person who follows an invitation's link to the provider is not led back to the used link", async (t) => {
  const { provider, installation, service } = await startWithProvider(t);
  const accountId = (await service.registry.accountNamed("default"))?.id ?? "";
  const invitation = { id: "inv_1", hash: hashLinkToken("link"), accountId, role: "viewer" as const };
  const parts = { email: "bob@shop.example", invitedBy: OPERATOR.email, createdAtMs: Date.now(), usersMax: 10 };
  await service.registry.createInvitation({ ...invitation, ...parts });
  provider.person = verified("p2", "bob@shop.example");
  const page = await signInByProvider(new Browser(), installation.url, { next: "/dashboard/invitation/link" });
  assert.equal(page.status, 200);
  assert.doesNotMatch(page.path, /invitation/);
});

it("a user of a group has no password, so that who leaves the groups has no access", async (t) => {
  const { provider, installation, service } = await startWithProvider(t, GROUPS);
  const made = await service.registry.createAccount("shop", Date.now());
  assert.ok(made !== "exists");
  const cleo = { ...verified("p3", "cleo@shop.example"), groups: ["mail"] };
  await signInAs(provider, installation, cleo);
  const user = (await service.people.userNamed(cleo.email ?? "")) ?? assert.fail();
  assert.deepEqual(membershipsOf(user), [[made.id, "viewer", true]]);
  await service.people.setPassword(user.id, cheapHash(OPERATOR.password));
  const fields = { email: user.email, password: OPERATOR.password };
  const refused = await postForm(`${installation.url}/dashboard/sign-in`, fields);
  assert.equal(cookieOf(refused), "");
});

it("a group's account goes before an invitation of another one, and invitations of several accounts lead to none", async (t) => {
  const { provider, installation, service } = await startWithProvider(t, GROUPS);
  const ids: string[] = [];
  for (const name of ["shop", "other", "third"]) {
    const made = await service.registry.createAccount(name, Date.now());
    assert.ok(made !== "exists");
    ids.push(made.id);
  }
  const [shop = "", other = "", third = ""] = ids;
  const invite = (id: string, accountId: string, email: string) =>
    service.registry.createInvitation({
      id,
      hash: hashLinkToken(id),
      accountId,
      role: "owner",
      email,
      invitedBy: "eve@other.example",
      createdAtMs: Date.now(),
      usersMax: 10,
    });
  await invite("inv_1", other, "dan@shop.example");
  await signInAs(provider, installation, { ...verified("p6", "dan@shop.example"), groups: ["mail"] });
  const dan = await service.people.userNamed("dan@shop.example");
  assert.deepEqual(membershipsOf(dan), [[shop, "viewer", true]]);
  await invite("inv_2", other, "fay@shop.example");
  await invite("inv_3", third, "fay@shop.example");
  const page = await signInAs(provider, installation, verified("p7", "fay@shop.example"));
  assert.equal(page.status, 403);
  assert.match(page.html, /invitations of several accounts/);
  assert.equal(await service.people.userNamed("fay@shop.example"), null);
});

it("linking a user ends the password, the second factor and the sessions that were there", async (t) => {
  const { provider, installation, service } = await startWithProvider(t);
  const { email, password } = await addUser(installation, "shop", "eve@shop.example");
  const before = await postForm(`${installation.url}/dashboard/sign-in`, { email, password });
  assert.equal(before.status, 302);
  const user = (await service.people.userNamed(email)) ?? assert.fail();
  await service.people.setTotp(user.id, { sealed: Buffer.from("x"), recoveryHashes: [] });
  await signInAs(provider, installation, verified("p8", email));
  const sessions = await service.people.sessions(user.id);
  assert.deepEqual(
    sessions.map(({ providerSid }) => providerSid !== null),
    [true],
  );
  const after = (await service.people.userNamed(email)) ?? assert.fail();
  assert.equal(after.sealedTotp, null);
  assert.notEqual(after.passwordHash, user.passwordHash);
});

it("who is unknown, unverified, somebody else or without an account is refused, and nothing is created", async (t) => {
  const { provider, installation, service } = await startWithProvider(t, { OIDC_GROUPS: "mail=missing:owner" });
  await addUser(installation, "shop", "ann@shop.example");
  await signInAs(provider, installation, verified("p1", "ann@shop.example"));
  const before = await service.people.users(null);
  const refusals: [Person, RegExp][] = [
    [{ ...verified("p4", "dan@shop.example"), groups: ["mail"] }, /no user or invitation for your email address/],
    [{ ...verified("p5", "ann@shop.example"), email_verified: false }, /has not confirmed that your email address/],
    [{ sub: "p5", email: "ann@shop.example" }, /has not confirmed/],
    [{ sub: "p5" }, /has not confirmed/],
    [verified("p5", "Ann <ann@shop.example>"), /has not confirmed/],
    [verified("p5", "ann@shop.example"), /belongs to another person/],
  ];
  for (const [person, sentence] of refusals) {
    const page = await signInAs(provider, installation, person);
    assert.equal(page.status, 403, page.html);
    assert.match(page.html, sentence);
    assert.equal(page.browser.cookie(installation.url, "postrider_session"), undefined);
  }
  assert.deepEqual(await service.people.users(null), before);
});

it("a sign-in ends where it began, once, with its own state and nonce", async (t) => {
  const { provider, installation } = await startWithProvider(t);
  const { url } = installation;
  await addUser(installation, "shop", "ann@shop.example");
  provider.person = verified("p1", "ann@shop.example");
  const [browser, other] = [new Browser(), new Browser()];
  const returnUrl = await returnUrlOf(browser, url);
  const isRefused = async (by: Browser, at: string, sentence: RegExp): Promise<void> => {
    const response = await by.request(at);
    assert.equal(response.status, 400);
    assert.match(await response.text(), sentence);
    assert.equal(by.cookie(url, "postrider_session"), undefined);
  };
  // Another browser has no such sign-in, or one of its own.
  await isRefused(other, returnUrl, /was begun in another browser/);
  await returnUrlOf(other, url);
  await isRefused(other, returnUrl, /reply is not valid/);
  const wrongIssuer = new URL(returnUrl);
  wrongIssuer.searchParams.set("iss", "https://other.example");
  await isRefused(browser, wrongIssuer.href, /reply is not valid/);
  // That was its only return.
  await isRefused(browser, returnUrl, /was begun in another browser/);
  // The code of one sign-in in the return of another: its verifier and nonce are not those of the code.
  const [stolen, own] = [new URL(await returnUrlOf(browser, url)), new URL(await returnUrlOf(other, url))];
  own.searchParams.set("code", stolen.searchParams.get("code") ?? "");
  await isRefused(other, own.href, /responded invalid_grant/);
  for (const name of ["state", "nonce"]) {
    const begun = new Browser();
    const changed = new URL((await beginByProvider(begun, url)).to);
    changed.searchParams.set(name, "another one, of the same length as those of the library");
    await isRefused(begun, (await begun.follow(changed.href, RETURN)).url, /reply is not valid/);
  }
  provider.person = null;
  const { html, status } = await signInByProvider(new Browser(), url);
  assert.deepEqual([status, /it responded access_denied/.test(html)], [400, true], html);
});

it("without the provider the service starts, says so, and passwords work; later the provider does", async (t) => {
  const { provider, installation } = await startWithProvider(t);
  const { url, logged } = installation;
  provider.person = verified("op", OPERATOR.email);
  assert.deepEqual(provider.requests, []);
  const faults: Record<string, (res: import("node:http").ServerResponse) => void> = {
    "status 503": (res) => res.writeHead(503).end("no"),
    octets: (res) => res.writeHead(200, { "Content-Type": "application/json" }).end(`{"a":"${"x".repeat(300_000)}"}`),
    "other side closed|socket hang up|ECONNRESET": (res) => res.destroy(),
  };
  for (const [reason, act] of Object.entries(faults)) {
    provider.intercept = (_req, res) => {
      act(res);
      return true;
    };
    const { status, html } = await beginByProvider(new Browser(), url);
    assert.equal(status, 503, html);
    assert.match(html, /does not respond as it should/);
    assert.match(logged.findLast((line) => line.includes("identity provider unavailable")) ?? "", new RegExp(reason));
  }
  assert.equal((await postForm(`${url}/dashboard/sign-in`, OPERATOR)).status, 302);
  provider.intercept = () => false;
  assert.equal((await signInByProvider(new Browser(), url)).status, 200);
  const lookUps = provider.requests.filter((path) => path === "/.well-known/openid-configuration");
  await signInByProvider(new Browser(), url);
  assert.equal(provider.requests.filter((path) => path === lookUps[0]).length, lookUps.length);
});

it("an ended session is ended, and a sign-out leads to the provider's", async (t) => {
  const { provider, installation, service } = await startWithProvider(t);
  const { url } = installation;
  const { email } = await addUser(installation, "shop", "ann@shop.example");
  const { browser } = await signInAs(provider, installation, verified("p1", email));
  const user = await service.people.userNamed(email);
  await service.people.endSessions(user?.id ?? "", null);
  assert.equal((await browser.request(`${url}/dashboard/you`)).status, 302);
  await signInByProvider(browser, url);
  const profile = await (await browser.request(`${url}/dashboard/you`)).text();
  const [, formToken = ""] = /name="form_token" value="([^"]+)"/.exec(profile) ?? [];
  const out = await browser.post(`${url}/dashboard/sign-out`, { form_token: formToken });
  const [, to = ""] = /^0; url=(.*)$/.exec(out.headers.get("refresh") ?? "") ?? [];
  const { origin, pathname, searchParams } = new URL(to);
  assert.deepEqual([origin, pathname], [provider.issuer, "/session/end"]);
  assert.equal(searchParams.get("post_logout_redirect_uri"), `${url}/dashboard/sign-in`);
  assert.notEqual(searchParams.get("id_token_hint"), null);
  assert.deepEqual(await service.people.sessions(user?.id ?? ""), []);
  const page = await (await browser.request(to)).text();
  assert.match(page, /sign-out/i);
});

it("a sign-out at the provider ends the sessions that began there, and no forged one does", async (t) => {
  const { provider, installation, service } = await startWithProvider(t);
  const { url } = installation;
  const ann = await addUser(installation, "shop", "ann@shop.example");
  const { browser } = await signInAs(provider, installation, verified("p1", ann.email));
  await signInAs(provider, installation, verified("p1", ann.email));
  const user = await service.people.userNamed(ann.email);
  const left = async () => (await service.people.sessions(user?.id ?? "")).length;
  assert.equal(await left(), 2);
  const idToken = Buffer.from("{}").toString("base64url");
  for (const token of ["", "x.y.z", `${Buffer.from('{"alg":"none"}').toString("base64url")}.${idToken}.`]) {
    const response = await postForm(`${url}/dashboard/sign-in/provider/ended`, { logout_token: token });
    assert.equal(response.status, 400, token);
  }
  assert.equal(await left(), 2);
  // As its page of the sign-out does: one of the two sessions there ends, with a logout token to Postrider.
  const end = await browser.request(`${provider.issuer}/session/end`);
  const [, xsrf = ""] = /name="xsrf" value="([^"]+)"/.exec(await end.text()) ?? [];
  const confirmed = await browser.post(`${provider.issuer}/session/end/confirm`, { xsrf, logout: "yes" });
  assert.ok(confirmed.status < 400, await confirmed.text());
  assert.equal(await left(), 1);
  assert.equal((await browser.request(`${url}/dashboard/you`)).status, 302);
  const [entry] = await entriesOf(service.spool as Store, ["user.sessions_ended"]);
  assert.deepEqual(entry?.after, { sessions: 1, by: "identity provider" });
});

it("with passwords for operators alone, other users sign in by the provider, also those with a password", async (t) => {
  const { provider, installation, service } = await startWithProvider(t, { PASSWORD_SIGN_IN: "operators" });
  const { url } = installation;
  const ann = await addUser(installation, "shop", "ann@shop.example");
  const wrong = await postForm(`${url}/dashboard/sign-in`, ann);
  assert.deepEqual([wrong.status, /Wrong email address or password/.test(await wrong.text())], [401, true]);
  const operator = await postForm(`${url}/dashboard/sign-in`, OPERATOR);
  assert.equal(operator.status, 302);
  const Cookie = cookieOf(operator);
  assert.equal((await fetch(`${url}/dashboard/you`, { headers: { Cookie }, redirect: "manual" })).status, 200);
  const { browser, path } = await signInAs(provider, installation, verified("p1", ann.email));
  assert.equal(path, "/dashboard/start");
  const profile = await (await browser.request(`${url}/dashboard/you`)).text();
  assert.match(profile, /You sign in with 127\.0\.0\.1/);
  assert.doesNotMatch(profile, /name="password"/);
  const [, formToken = ""] = /name="form_token" value="([^"]+)"/.exec(profile) ?? [];
  const change = { form_token: formToken, current: ann.password, password: "another long password" };
  assert.equal((await browser.post(`${url}/dashboard/you/password`, change)).status, 403);
  const accountId = (await service.registry.accountNamed("shop"))?.id ?? "";
  const invitation = { id: "inv_1", hash: hashLinkToken("link"), accountId, role: "viewer" as const };
  const parts = { email: "bob@shop.example", invitedBy: "command line", createdAtMs: Date.now(), usersMax: 10 };
  await service.registry.createInvitation({ ...invitation, ...parts });
  const invited = await postForm(`${url}/dashboard/invitation/link`, { password: "a long enough password" });
  assert.deepEqual([invited.status, await service.people.userNamed("bob@shop.example")], [403, null]);
});

it("a change of who can sign in needs a recent sign-in at the provider instead of the password", async (t) => {
  const { provider, installation, service } = await startWithProvider(t);
  const { url } = installation;
  const { email } = await addUser(installation, "shop", "ann@shop.example");
  // Without a proof that the provider dates, as after a sign-in of yesterday.
  const { browser } = await signInAs(provider, installation, verified("p1", email));
  const tokenOf = async () => {
    const html = await (await browser.request(`${url}/dashboard/users`)).text();
    return { html, formToken: /name="form_token" value="([^"]+)"/.exec(html)?.[1] ?? "" };
  };
  const invite = async (formToken: string) =>
    browser.post(`${url}/dashboard/users/invite`, { form_token: formToken, email: "bob@shop.example", role: "viewer" });
  const first = await tokenOf();
  assert.match(first.html, /Sign in again/);
  assert.doesNotMatch(first.html, /name="current"/);
  assert.equal((await invite(first.formToken)).status, 400);
  const user = await service.people.userNamed(email);
  const page = await signInByProvider(browser, url, { again: "1" });
  assert.equal(page.status, 200, page.html);
  const second = await tokenOf();
  assert.doesNotMatch(second.html, /Sign in again/);
  assert.equal((await invite(second.formToken)).status, 302);
  assert.equal((await service.people.sessions(user?.id ?? "")).length, 1);
});
