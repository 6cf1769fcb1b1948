/** Each form of the dashboard that changes something leaves one entry in the audit trail, without a secret. A new route must be here. */
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { Secret, TOTP } from "otpauth";
import type { Action } from "../../src/app/audit/change.ts";
import { createResolver } from "../../src/dns/stub-resolver.ts";
import { newApiKey } from "../../src/security/api-key-format.ts";
import { hashLinkToken, newLinkToken } from "../../src/security/link-token.ts";
import type { AuditActor } from "../../src/spool/port/audit.ts";
import type { Role } from "../../src/spool/port/memberships.ts";
import type { Store } from "../../src/spool/port/store.ts";
import { quarantining } from "../spool/port/conformance/quarantine.ts";
import { settlePaused } from "../support/attempts.ts";
import { allEntries, assertNoSecrets, newEntries } from "../support/audit-trail.ts";
import { cheapHash } from "../support/cheap-hash.ts";
import { edit } from "../support/damaged-spool.ts";
import { type Installation, install, installWithOperator, OPERATOR } from "../support/dashboard/installation.ts";
import { allRoutes } from "../support/dashboard/routes.ts";
import { type Client, clientOf, cookieOf, type FormFields, postForm } from "../support/dashboard/sign-in.ts";
import { HOUR_MS, newMessage, recipientsAt, settlement } from "../support/messages.ts";
import { bindVerified } from "../support/world.ts";

/** Forms that change nothing which the trail is about. */
const UNCHANGING: Record<string, string> = {
  "POST /start": "it sends a message, which has a history of its own",
  "POST /domains/:name/verify": "it stores what checks found",
  "POST /webhooks/:id/test": "it posts a test event",
  "POST /operator/notices/webhook/test": "it posts a test notice",
  "POST /operator/host": "it examines the host",
  "POST /sign-in/provider": "it leads to the identity provider",
};

/** Their entries are in tests of their own. */
const ELSEWHERE = ["POST /setup/:token", "POST /sign-in/provider/ended"];

const PASSWORD = "a long enough password";
const CURRENT = { current: OPERATOR.password };

interface Scene {
  installation: Installation;
  store: Store;
  operator: Client;
  /** Texts that the trail must not have. */
  secrets: string[];
  user: (email: string, role?: Role, accountId?: string) => Promise<{ id: string; client: Client }>;
  post: (path: string, fields?: FormFields, client?: Client) => Promise<Response>;
}

interface Case {
  action: Action;
  /** Makes what the change is about, before entries are counted. */
  prepare?: (scene: Scene) => Promise<() => Promise<Response>>;
  act?: (scene: Scene) => Promise<Response>;
  by?: Partial<AuditActor>;
}

const secretOf = (page: string): string => /name="secret" value="([A-Z2-7]{32})"/.exec(page)?.[1] ?? "";
const codeOf = (secret: string): string => new TOTP({ secret: Secret.fromBase32(secret) }).generate();

/** Turns on the second factor, with the password PASSWORD. */
async function turnOn({ secrets, post }: Scene, client: Client): Promise<string[]> {
  const secret = secretOf(await (await client.get("/you/second-factor")).text());
  const page = await (
    await post("/you/second-factor", { current: PASSWORD, secret, code: codeOf(secret) }, client)
  ).text();
  const codes = [...new Set(page.match(/[A-Z2-7]{4}(-[A-Z2-7]{4}){3}/g) ?? [])];
  assert.equal(codes.length, 8, page);
  secrets.push(secret, ...codes);
  return codes;
}

/** A key that nobody has. */
async function newKey({ store }: Scene, name: string): Promise<string> {
  const { hash, lastFour } = newApiKey({ test: false });
  const key = { accountId: "acc_default", name, hash, lastFour, createdAtMs: 1, keysMax: 100 };
  const created = await store.createKey(key);
  return created === "too_many" ? assert.fail() : created.id;
}

const WEBHOOK = {
  url: "https://hooks.example/in?token=hooktoken1",
  all_types: "yes",
  all_keys: "yes",
  all_domains: "yes",
};

async function newEndpoint({ post, store }: Scene): Promise<string> {
  await post("/webhooks", WEBHOOK);
  return (await store.endpoints("acc_default")).at(-1)?.id ?? assert.fail();
}

/** A message with two unknown, two pending and two failed recipients, at a paused domain. */
async function newMail({ store }: Scene): Promise<{ path: string; id: string }> {
  const [nowMs, domain] = [Date.now(), "a.example"];
  await store.pauseDomain(domain, nowMs);
  const message = newMessage({ createdAtMs: nowMs, expiresAtMs: nowMs + HOUR_MS, recipients: recipientsAt(domain, 6) });
  await store.accept(message);
  const results = ["unknown", "unknown", "pending", "pending", "failed", "failed"] as const;
  const settlements = results.map((result, i) =>
    settlement(i, result, result === "pending" ? nowMs + HOUR_MS : undefined),
  );
  await settlePaused(store, message.id, { domains: [domain], atMs: nowMs, settlements });
  return { path: `/messages/${message.id}`, id: message.id };
}

const onMail = (action: Action, name: string, fields: Record<string, string>): Case => ({
  action,
  async prepare(scene) {
    const { path } = await newMail(scene);
    return () => scene.post(`${path}/${name}`, fields);
  },
});

const onDomain = (action: Action, name: string, path: string, fields: Record<string, string> = {}): Case => ({
  action,
  async prepare({ post }) {
    await post("/domains", { name });
    if (path === "rotate/cancel") await post(`/domains/${name}/rotate`);
    return () => post(`/domains/${name}/${path}`, fields);
  },
});

const onKey = (action: Action, path: string, fields: Record<string, string> = {}): Case => ({
  action,
  async prepare(scene) {
    const id = await newKey(scene, `key for ${action}`);
    const cause = { type: "limit", recipients: 5, limit: 1 } as never;
    if (path === "/release") await scene.store.holdKey({ accountId: "acc_default", keyId: id, atMs: 1, cause });
    return () => scene.post(`/keys/${id}${path}`, fields);
  },
});

const onWebhook = (action: Action, path: string, fields: Record<string, string> = {}): Case => ({
  action,
  async prepare(scene) {
    const id = await newEndpoint(scene);
    if (path === "resume") await scene.post(`/webhooks/${id}/pause`);
    return () => scene.post(`/webhooks/${id}/${path}`, fields);
  },
});

const onUser = (action: Action, place: string, path: string, fields: Record<string, string> = {}): Case => ({
  action,
  async prepare(scene) {
    const { id, client } = await scene.user(`${action}.${place}@shop.example`);
    if (path === "second-factor-off") await turnOn(scene, client);
    return () => scene.post(`/${place}/${id}/${path}`, { ...CURRENT, ...fields });
  },
});

const inAccount = (action: Action, path: (id: string) => string, fields: Record<string, string> = {}): Case => ({
  action,
  async prepare({ store, post }) {
    const account = await store.createAccount(`acc-${action.replace(".", "-")}-${path("x").length}`, 1);
    assert.ok(account !== "exists");
    if (action === "account.restored") await store.deleteAccount(account.id, Date.now());
    return () => post(path(account.id), { name: account.name, account: account.id, ...CURRENT, ...fields });
  },
});

const you = (action: Action, path: string): Case => ({
  action,
  by: { name: `${path.replaceAll("/", ".")}@shop.example` },
  async prepare(scene) {
    const email = `${path.replaceAll("/", ".")}@shop.example`;
    const { client, id } = await scene.user(email, "viewer");
    if (path === "second-factor/off") {
      const [code = ""] = await turnOn(scene, client);
      return () => scene.post(`/you/${path}`, { current: PASSWORD, code }, client);
    }
    await clientOf(scene.installation.url, { email, password: PASSWORD });
    const [, other] = await scene.store.people.sessions(id);
    const password = "my next password";
    scene.secrets.push(password);
    return () =>
      scene.post(`/you/${path}`, { current: PASSWORD, password, session: other?.hash.toString("hex") ?? "" }, client);
  },
});

const OPERATORS_URL = "https://hooks.example/notices?token=hooktoken1";

const CASES: Record<string, Case> = {
  "POST /sign-in": {
    action: "sign_in",
    by: { kind: "user", name: OPERATOR.email },
    act: ({ installation: { url } }) => postForm(`${url}/dashboard/sign-in`, OPERATOR),
  },
  "POST /sign-in/code": {
    action: "sign_in",
    by: { kind: "user", name: "code@shop.example" },
    async prepare(scene) {
      const { url } = scene.installation;
      const { client } = await scene.user("code@shop.example");
      const [code = ""] = await turnOn(scene, client);
      const Cookie = cookieOf(
        await postForm(`${url}/dashboard/sign-in`, { email: "code@shop.example", password: PASSWORD }),
      );
      return () => postForm(`${url}/dashboard/sign-in/code`, { code }, { Cookie });
    },
  },
  "POST /sign-out": {
    action: "user.session_ended",
    by: { kind: "user", name: "out@shop.example" },
    async prepare(scene) {
      const { client } = await scene.user("out@shop.example");
      return () => scene.post("/sign-out", {}, client);
    },
  },
  "POST /invitation/:token": {
    action: "invitation.accepted",
    by: { kind: "user", name: "invited@shop.example" },
    async prepare({ store, installation: { url }, secrets }) {
      const { token, hash } = newLinkToken();
      secrets.push(token);
      const of = { accountId: "acc_default", email: "invited@shop.example", role: "viewer" as const };
      const invitation = { id: "inv_1", hash, ...of, invitedBy: "ann@shop.example", createdAtMs: Date.now() };
      await store.createInvitation({ ...invitation, usersMax: 100 });
      return () => postForm(`${url}/dashboard/invitation/${token}`, { password: PASSWORD });
    },
  },
  "POST /sign-in/forgotten": {
    action: "user.password_reset_requested",
    by: { kind: "visitor", name: null },
    act: ({ installation: { url } }) => postForm(`${url}/dashboard/sign-in/forgotten`, { email: OPERATOR.email }),
  },
  "POST /new-password/:token": {
    action: "user.password_changed",
    by: { kind: "user", name: "reset@shop.example" },
    async prepare({ store, user, installation: { url }, secrets }) {
      const { id } = await user("reset@shop.example");
      const { token, hash } = newLinkToken();
      secrets.push(token);
      await store.people.createPasswordReset({ hash, userId: id, createdAtMs: Date.now() });
      return () => postForm(`${url}/dashboard/new-password/${token}`, { password: PASSWORD });
    },
  },
  "POST /start/test-key": {
    action: "key.created",
    async prepare({ post }) {
      await post("/domains", { name: "tried.example" });
      return () => post("/start/test-key", { sender: "tried.example" });
    },
  },
  "POST /domains": { action: "domain.added", act: ({ post }) => post("/domains", { name: "new.example" }) },
  "POST /domains/:name/return-path": onDomain("domain.return_path_set", "path.example", "return-path", { state: "on" }),
  "POST /domains/:name/rotate": onDomain("domain.dkim_rotation_started", "rotated.example", "rotate"),
  "POST /domains/:name/rotate/cancel": onDomain("domain.dkim_rotation_cancelled", "kept.example", "rotate/cancel"),
  "POST /domains/:name/remove": onDomain("domain.removed", "removed.example", "remove"),
  "POST /keys": { action: "key.created", act: ({ post }) => post("/keys", { name: "web", kind: "live" }) },
  "POST /keys/:id": onKey("key.changed", "", { name: "renamed" }),
  "POST /keys/:id/release": onKey("key.released", "/release"),
  "POST /keys/:id/revoke": onKey("key.revoked", "/revoke"),
  "POST /webhooks": { action: "webhook.created", act: ({ post }) => post("/webhooks", WEBHOOK) },
  "POST /webhooks/:id/edit": onWebhook("webhook.changed", "edit", { ...WEBHOOK, url: "https://hooks.example/other" }),
  "POST /webhooks/:id/pause": onWebhook("webhook.paused", "pause"),
  "POST /webhooks/:id/resume": onWebhook("webhook.resumed", "resume"),
  "POST /webhooks/:id/rotate": onWebhook("webhook.secret_rotated", "rotate"),
  "POST /webhooks/:id/remove": onWebhook("webhook.removed", "remove"),
  "POST /webhooks/:id/replay": onWebhook("webhook.replayed", "replay", { since: "2026-01-01 00:00" }),
  "POST /webhooks/:id/deliveries/:number/send-again": {
    action: "webhook.replayed",
    async prepare(scene) {
      const { store } = scene;
      const id = await newEndpoint(scene);
      await newMail(scene);
      const endpoint = (await store.endpoints("acc_default")).find((each) => each.id === id) ?? assert.fail();
      const { events } = await store.freshEvents(endpoint, 0, 1);
      const event = events[0]?.event ?? assert.fail();
      const attempt = { atMs: Date.now(), durationMs: 1, attempt: 1, status: 204, error: null, response: "" };
      const at = { endpointId: id, version: endpoint.version, atMs: Date.now(), position: event.number };
      const results = [{ event, attempt, outcome: { type: "sent" as const } }];
      await store.settleWebhooks({ ...at, results, blocked: [], gone: [], isRecovered: false, disable: null });
      const [stored] = await store.attempts({ endpointId: id, beforeNumber: null, failedOnly: false, limit: 1 });
      return () => scene.post(`/webhooks/${id}/deliveries/${stored?.number}/send-again`);
    },
  },
  "POST /bulk/:action": {
    action: "message.cancelled",
    async prepare(scene) {
      await newMail(scene);
      await newMail(scene);
      const fields = { q: "@a.example", counted: "4", at: String(Date.now()), least: "", after: "", totals: "" };
      return () => scene.post("/bulk/cancel", fields);
    },
  },
  "POST /messages/:id/try-now": onMail("message.retried", "try-now", { email: "user2@a.example" }),
  "POST /messages/:id/retry-failed": onMail("message.retried", "retry-failed", { email: "user4@a.example" }),
  "POST /messages/:id/send-again": onMail("message.retried", "send-again", { email: "user0@a.example" }),
  "POST /messages/:id/resolve": onMail("message.resolved", "resolve", { email: "user1@a.example", as: "failed" }),
  "POST /messages/:id/cancel": onMail("message.cancelled", "cancel", { email: "user3@a.example" }),
  "POST /suppressed/add": {
    action: "suppression.added",
    act: ({ post }) => post("/suppressed/add", { addresses: "added@a.example", cause: "manual" }),
  },
  "POST /suppressed/forget": {
    action: "suppression.removed",
    async prepare(scene) {
      const { id } = await newMail(scene);
      const of = { accountId: "acc_default", email: "user0@a.example", messageId: id, position: 0, atMs: Date.now() };
      await scene.store.recordUnsubscribed(of);
      return () => scene.post("/suppressed/forget", { email: of.email });
    },
  },
  "POST /you/password": you("user.password_changed", "password"),
  "POST /you/notices": {
    action: "user.notices_set",
    act: ({ post }) => post("/you/notices", { failed_messages: "digest", key_held: "on" }),
  },
  "POST /operator/notices/webhook": {
    action: "setting.changed",
    act: ({ post }) => post("/operator/notices/webhook", { url: OPERATORS_URL, kinds: ["key_held"] }),
  },
  "POST /operator/notices/webhook/remove": {
    action: "setting.changed",
    async prepare({ post }) {
      await post("/operator/notices/webhook", { url: OPERATORS_URL, kinds: ["disk_fills"] });
      return () => post("/operator/notices/webhook/remove");
    },
  },
  "POST /you/sessions/end": you("user.session_ended", "sessions/end"),
  "POST /you/sessions/end-others": you("user.sessions_ended", "sessions/end-others"),
  "POST /you/second-factor": {
    action: "user.second_factor_on",
    by: { name: "factor@shop.example" },
    async prepare(scene) {
      const { client } = await scene.user("factor@shop.example", "viewer");
      await clientOf(scene.installation.url, { email: "factor@shop.example", password: PASSWORD });
      return async () => {
        await turnOn(scene, client);
        return new Response(null, { status: 200 });
      };
    },
  },
  "POST /you/second-factor/off": you("user.second_factor_off", "second-factor/off"),
  "POST /users/invite": {
    action: "invitation.created",
    async act({ post, operator, secrets }) {
      const answer = await post("/users/invite", { email: "new@shop.example", role: "viewer", ...CURRENT });
      const page = await (await operator.get((answer.headers.get("location") ?? "").replace("/dashboard", ""))).text();
      secrets.push(/\/dashboard\/invitation\/([\w-]{43})/.exec(page)?.[1] ?? assert.fail(page));
      return answer;
    },
  },
  "POST /users/invitations/:id/revoke": {
    action: "invitation.revoked",
    async prepare({ store, post }) {
      const of = { accountId: "acc_default", email: "revoked@shop.example", role: "viewer" as const };
      const invitation = { id: "inv_2", ...of, invitedBy: "ann@shop.example", createdAtMs: Date.now() };
      await store.createInvitation({ ...invitation, hash: newLinkToken().hash, usersMax: 100 });
      return () => post("/users/invitations/inv_2/revoke");
    },
  },
  "POST /users/:id/end-sessions": onUser("user.sessions_ended", "users", "end-sessions"),
  "POST /users/:id/second-factor-off": onUser("user.second_factor_off", "users", "second-factor-off"),
  "POST /users/:id/role": onUser("user.role_changed", "users", "role", { role: "viewer" }),
  "POST /users/:id/remove": onUser("user.removed", "users", "remove"),
  "POST /account/delete": {
    action: "account.deleted",
    by: { name: "leaving@shop.example" },
    async prepare({ store, user, post }) {
      const account = await store.createAccount("leaving", 1);
      assert.ok(account !== "exists");
      const { client } = await user("leaving@shop.example", "owner", account.id);
      return () => post("/account/delete", { name: "leaving", current: PASSWORD }, client);
    },
  },
  "POST /account/status-pages": {
    action: "account.status_pages_set",
    act: ({ post }) => post("/account/status-pages", { enabled: "no" }),
  },
  "POST /account/restore": {
    action: "account.restored",
    by: { name: "returning@shop.example" },
    async prepare({ store, user, post }) {
      const account = await store.createAccount("returning", 1);
      assert.ok(account !== "exists");
      const { client } = await user("returning@shop.example", "owner", account.id);
      await post("/account/delete", { name: "returning", current: PASSWORD }, client);
      return () => post("/account/restore", {}, client);
    },
  },
  "POST /operator/accounts/:id/delete": inAccount("account.deleted", (id) => `/operator/accounts/${id}/delete`),
  "POST /operator/accounts/:id/restore": inAccount("account.restored", (id) => `/operator/accounts/${id}/restore`),
  "POST /operator/queue/discard": {
    action: "message.discarded",
    async prepare({ installation, store, post }) {
      const message = newMessage({ createdAtMs: Date.now(), recipients: recipientsAt("damaged.example", 1) });
      await store.pauseDomain("damaged.example", 1);
      await store.accept(message);
      edit(installation.dataDir, (db) => {
        for (const sql of quarantining("?"))
          db.prepare(sql).run(...new Array(sql.split("?").length - 1).fill(message.id));
      });
      return () => post("/operator/queue/discard", { message: message.id });
    },
  },
  "POST /operator/queue/pause": {
    action: "destination.paused",
    act: ({ post }) => post("/operator/queue/pause", { domain: "paused.example" }),
  },
  "POST /operator/queue/resume": {
    action: "destination.resumed",
    async prepare({ store, post }) {
      await store.pauseDomain("resumed.example", 1);
      return () => post("/operator/queue/resume", { domain: "resumed.example" });
    },
  },
  "POST /operator/queue/try-now": {
    action: "destination.retried",
    async prepare(scene) {
      await newMail(scene);
      return () => scene.post("/operator/queue/try-now", { domain: "a.example" });
    },
  },
  "POST /operator/receivers": {
    action: "receiver.limits_set",
    act: ({ post }) => post("/operator/receivers", { name: "gmail", connections: "7" }),
  },
  "POST /operator/receivers/reset": {
    action: "receiver.limits_reset",
    async prepare({ post }) {
      await post("/operator/receivers", { name: "yahoo", connections: "7" });
      return () => post("/operator/receivers/reset", { name: "yahoo" });
    },
  },
  "POST /operator/accounts": {
    action: "account.created",
    act: ({ post }) => post("/operator/accounts", { name: "created" }),
  },
  "POST /operator/accounts/:id/quota": inAccount("account.quota_set", (id) => `/operator/accounts/${id}/quota`, {
    quota: "5",
  }),
  "POST /operator/accounts/:id/status-pages": inAccount(
    "account.status_pages_set",
    (id) => `/operator/accounts/${id}/status-pages`,
    { enabled: "no" },
  ),
  "POST /operator/accounts/:id/users": inAccount("user.created", (id) => `/operator/accounts/${id}/users`, {
    email: "made@shop.example",
    password: PASSWORD,
    role: "viewer",
  }),
  "POST /operator/users/:id/end-sessions": onUser("user.sessions_ended", "operator/users", "end-sessions"),
  "POST /operator/users/:id/second-factor-off": onUser("user.second_factor_off", "operator/users", "second-factor-off"),
  "POST /operator/users/:id/role": onUser("user.role_changed", "operator/users", "role", { role: "viewer" }),
  "POST /operator/users/:id/remove": onUser("user.removed", "operator/users", "remove"),
  "POST /operator/nodes/drain": {
    action: "node.drained",
    async prepare({ store, post }) {
      const names = ["mail-2"];
      const drain = async () => ({ type: "draining", names });
      Object.assign(store, {
        nodes: { own: null, list: async () => [], drain, resume: async () => ({ type: "resumed", names }) },
      });
      return () => post("/operator/nodes/drain", { name: "mail-2" });
    },
  },
  "POST /operator/nodes/resume": {
    action: "node.resumed",
    act: ({ post }) => post("/operator/nodes/resume", { name: "mail-2" }),
  },
  "POST /invitation/:token/join": {
    action: "invitation.accepted",
    by: { name: "joining@shop.example" },
    async prepare({ store, user, post }) {
      const { client } = await user("joining@shop.example");
      const accountId = ((await store.createAccount("joined", 1)) as { id: string }).id;
      const link = { id: "inv_join", hash: hashLinkToken("join"), accountId, role: "viewer" as const };
      const parts = { email: "joining@shop.example", invitedBy: OPERATOR.email, createdAtMs: Date.now(), usersMax: 10 };
      await store.createInvitation({ ...link, ...parts });
      return () => post("/invitation/join/join", {}, client);
    },
  },
  "POST /you/account": {
    action: "account.entered",
    by: { name: "switching@shop.example" },
    async prepare({ store, user, post }) {
      const { id, client } = await user("switching@shop.example");
      const accountId = ((await store.createAccount("switched", 1)) as { id: string }).id;
      const link = { id: "inv_switch", hash: hashLinkToken("switch"), accountId, role: "viewer" as const };
      const parts = {
        email: "switching@shop.example",
        invitedBy: OPERATOR.email,
        createdAtMs: Date.now(),
        usersMax: 10,
      };
      await store.createInvitation({ ...link, ...parts });
      assert.equal(await store.joinByInvitation({ hash: link.hash, userId: id, nowMs: Date.now() }), "joined");
      return () => post("/you/account", { account: accountId }, client);
    },
  },
  // The last one: the operator has another current account then.
  "POST /operator/look": inAccount("account.entered", () => "/operator/look", { name: "" }),
};

async function sceneOf(t: TestContext): Promise<Scene> {
  const installation = await installWithOperator(t, {
    env: { ADDRESS_RATE_PER_SECOND: "0", USERS_MAX: "100", WEBHOOKS_MAX: "50", INBOUND_PORT: "0" },
  });
  const store = installation.service.spool as Store;
  const { service, zone, certsDir, url } = installation;
  await bindVerified(
    { service, zone, resolver: createResolver({ servers: [zone.address] }), certsDir },
    "shop.example",
  );
  const operator = await clientOf(url);
  const post: Scene["post"] = (path, fields = {}, client = operator) => client.post(path, fields);
  const user: Scene["user"] = async (email, role = "owner", accountId = "acc_default") => {
    const passwordHash = cheapHash(PASSWORD);
    const made = await store.createUser({
      email,
      accountId,
      passwordHash,
      operator: false,
      role,
      createdAtMs: 1,
      usersMax: 100,
    });
    assert.ok(typeof made !== "string");
    return { id: made.id, client: await clientOf(url, { email, password: PASSWORD }) };
  };
  const secrets = [OPERATOR.password, PASSWORD, "hooktoken1", operator.cookie.split("=")[1] ?? ""];
  return { installation, store, operator, secrets, user, post };
}

test("every form that changes something leaves one entry, and no secret", { timeout: 120_000 }, async (t) => {
  const routes = allRoutes().flatMap(({ route }) => (route.startsWith("GET ") ? [] : [route]));
  const covered = [...Object.keys(CASES), ...Object.keys(UNCHANGING), ...ELSEWHERE];
  assert.deepEqual(routes.toSorted(), covered.toSorted());
  const scene = await sceneOf(t);
  for (const [route, { action, prepare, act = () => assert.fail(), by = {} }] of Object.entries(CASES)) {
    await t.test(route, async () => {
      const run = prepare === undefined ? () => act(scene) : await prepare(scene);
      const former = await allEntries(scene.store);
      const answer = await run();
      assert.ok(answer.status < 400, `${answer.status} ${await answer.text()}`);
      const added = await newEntries(scene.store, former);
      assert.deepEqual(
        added.map((entry) => entry.action),
        [action],
      );
      const { kind, name, ip } = added[0]?.actor ?? assert.fail();
      const expected = { kind: "user", name: OPERATOR.email, ip: "127.0.0.1", ...by };
      assert.deepEqual({ kind, name, ip }, expected);
    });
  }
  const entries = await allEntries(scene.store);
  assert.ok(entries.length > Object.keys(CASES).length);
  const keys = (await scene.store.endpoints("acc_default")).flatMap(({ secrets }) => secrets.map(({ bytes }) => bytes));
  scene.secrets.push(...keys.flatMap((bytes) => [bytes.toString("base64"), bytes.toString("hex")]));
  assertNoSecrets(entries, scene.secrets);
  assert.doesNotMatch(JSON.stringify(entries), /svc_(test_|live_)?\w{10}|whsec_|PRIVATE KEY|scrypt\$/);
});

test("the first user, and sign-ins that fail", async (t) => {
  const { setupUrl, service } = await install(t);
  const store = service.spool as Store;
  const first = { email: "first@shop.example", password: PASSWORD };
  assert.equal((await postForm(setupUrl, first)).status, 302);
  const setUp = await allEntries(store);
  assert.deepEqual(
    setUp.map(({ action, actor, target }) => [action, actor.name, target.name]),
    [["user.created", first.email, first.email]],
  );
  const signIn = (email: string, password: string) => postForm(`${service.url}/dashboard/sign-in`, { email, password });
  assert.equal((await signIn("nobody@shop.example", "wrong password")).status, 401);
  assert.equal((await signIn("FIRST@shop.example", "wrong password")).status, 401);
  const failed = await newEntries(store, setUp);
  assert.deepEqual(
    failed.map(({ action, actor, target, after }) => [action, actor.kind, actor.name, target.name, after]),
    [["sign_in_failed", "visitor", null, first.email, { wrong: "password" }]],
  );
  assert.ok(!JSON.stringify(failed).includes("wrong password"));
});
