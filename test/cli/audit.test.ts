/** Each command that changes something leaves one entry in the audit trail, without a secret; `audit list` shows them. A new command must be here. */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import type { Action } from "../../src/app/audit/change.ts";
import { COMMANDS } from "../../src/cli/catalog/catalog.ts";
import { HELD } from "../../src/message/result/reasons.ts";
import Sqlite from "../../src/spool/engine/sqlite/connection/driver.ts";
import { openSqliteSpool } from "../../src/spool/engine/sqlite/sqlite-spool.ts";
import { PAUSE_ENTRY } from "../../src/spool/port/delivery-pause.ts";
import type { NewMessage } from "../../src/spool/port/mail.ts";
import type { Store } from "../../src/spool/port/store.ts";
import { settleMessage } from "../support/attempts.ts";
import { allEntries, assertNoSecrets } from "../support/audit-trail.ts";
import { HOUR_MS, newMessage, recipientsAt, settlement } from "../support/messages.ts";
import { runCli } from "../support/run-cli.ts";
import { tempDir } from "../support/temp-dir.ts";

/** Commands that change nothing which the trail is about. */
const UNCHANGING: readonly string[] = [
  "messages list",
  "messages show ID",
  "queue list",
  "queue quarantined",
  "queue set-aside",
  "destinations [list]",
  "destinations rules",
  "receivers [list]",
  "receivers show NAME",
  "addresses [list]",
  "addresses show IP",
  "pools [list]",
  "suppressions list",
  "suppressions export",
  "suppressions test EMAIL",
  "domains list",
  "domains show NAME",
  "domains reports NAME",
  "keys list",
  "accounts list",
  "users list",
  "webhooks list",
  "nodes list",
  "demo",
  "sink",
  "start",
  "mcp",
  "status",
  "doctor",
  "preflight",
  "prove",
  "audit list",
  "notices list",
  "backup FILE",
  "completion bash|zsh|fish",
  "login",
  "logout",
  // A message has a history of its own; checks and test events change nothing.
  "send",
  "domains verify NAME",
  "webhooks test ID",
  // They need another spool than that of the trail, or none that is open; docs/OPERATIONS.md says so.
  "restore FILE",
  "spool copy",
  "master-key rotate",
  "master-key new",
  // With nodes alone: test/app/audit/audited-store.test.ts.
  "nodes drain NAME",
  "nodes resume NAME",
];

interface Scene {
  dataDir: string;
  cli: (...args: string[]) => Promise<Record<string, unknown>>;
  /** Beside the commands. */
  withStore: <T>(use: (store: Store) => Promise<T>) => Promise<T>;
  secrets: string[];
}

interface Case {
  action: Action;
  /** The arguments, after what the change is about was made. */
  args: readonly string[] | ((scene: Scene) => Promise<readonly string[]>);
  after?: Record<string, unknown>;
}

const PASSWORD = "a long enough password";
const URL_1 = "https://hooks.example/in?token=hooktoken1";

/** A message with two recipients of a result. */
const newMail = (
  { withStore }: Scene,
  result: "pending" | "failed" | "unknown",
  parts: Partial<NewMessage> = {},
  reason?: string,
): Promise<string> =>
  withStore(async (store) => {
    const nowMs = Date.now();
    const recipients = recipientsAt("a.example", 2);
    const message = newMessage({ createdAtMs: nowMs, expiresAtMs: nowMs + HOUR_MS, recipients, ...parts });
    await store.accept(message);
    const dueMs = result === "pending" ? nowMs + HOUR_MS : undefined;
    const settled = [0, 1].map((i) => ({
      ...settlement(i, result, dueMs),
      ...(reason === undefined ? {} : { reason }),
    }));
    await settleMessage(store, message.id, nowMs, settled);
    return message.id;
  });

async function newKey({ cli, secrets }: Scene, name: string): Promise<string> {
  const { id, key } = await cli("keys", "create", "--name", name);
  secrets.push(String(key));
  return String(id);
}

async function heldKey(scene: Scene, name: string): Promise<string> {
  const keyId = await newKey(scene, name);
  const cause = { type: "limit", recipients: 5, limit: 1 } as never;
  await scene.withStore((store) => store.holdKey({ accountId: "acc_default", keyId, atMs: Date.now(), cause }));
  await newMail(scene, "pending", { keyId }, HELD);
  return keyId;
}

async function newEndpoint({ cli, secrets }: Scene): Promise<string> {
  const { id, secret } = await cli("webhooks", "create", URL_1);
  secrets.push(String(secret));
  return String(id);
}

const onWebhook = (action: Action, verb: string, ...more: string[]): Case => ({
  action,
  async args(scene) {
    const id = await newEndpoint(scene);
    if (verb === "resume") await scene.cli("webhooks", "pause", id);
    return ["webhooks", verb, id, ...more];
  },
});

const onUser = (action: Action, verb: string, ...more: string[]): Case => ({
  action,
  async args({ withStore }) {
    const email = `${verb}@shop.example`;
    await withStore(async (store) => {
      const user = { email, accountId: "acc_default", passwordHash: "hash", operator: false, createdAtMs: 1 };
      const made = await store.createUser({ ...user, usersMax: 100 });
      assert.ok(typeof made !== "string");
      await store.people.setTotp(made.id, { sealed: Buffer.from("totp"), recoveryHashes: [] });
      const session = { hash: Buffer.alloc(32, 1), userId: made.id, accountId: "acc_default" };
      await store.people.startSession({ ...session, createdAtMs: 1, seenAtMs: 1, agent: "", ip: "192.0.2.1" });
    });
    return ["users", verb, email, ...more];
  },
});

const after =
  (args: readonly string[], ...then: string[]): Case["args"] =>
  async ({ cli }) => {
    await cli(...args);
    return then;
  };

const IP = ["--name", "mail1.example.com"];

const CASES: Record<string, Case> = {
  "queue retry [ID] [RECIPIENT]": {
    action: "message.retried",
    async args(scene) {
      await newMail(scene, "failed");
      await newMail(scene, "failed");
      return ["queue", "retry", "--failed"];
    },
    after: { former_result: "failed", recipients: 4, messages: 2 },
  },
  "queue resolve [ID] [RECIPIENT]": {
    action: "message.resolved",
    args: async (scene) => ["queue", "resolve", await newMail(scene, "unknown"), "--as", "delivered"],
    after: { as: "delivered", recipients: 2, messages: 1 },
  },
  "queue cancel [ID] [RECIPIENT]": {
    action: "message.cancelled",
    args: async (scene) => ["queue", "cancel", await newMail(scene, "pending")],
    after: { recipients: 2, messages: 1 },
  },
  "queue discard ID": {
    action: "message.discarded",
    async args(scene) {
      const id = await newMail(scene, "pending");
      const db = new Sqlite(join(scene.dataDir, "postrider.db"));
      db.exec(`INSERT INTO quarantined (seq, message_id, account_id, found_at_ms, part, error)
                 SELECT seq, id, account_id, 1, 'content', 'damaged' FROM messages WHERE id = '${id}'`);
      db.close();
      return ["queue", "discard", id];
    },
    after: { recipients: 2 },
  },
  "queue resume": {
    action: "delivery.resumed",
    async args({ withStore }) {
      await withStore((store) => store.writeValue(PAUSE_ENTRY, JSON.stringify({ backupAtMs: 1, newestSeq: 0 })));
      return ["queue", "resume", "--hold"];
    },
    after: { waiting: "hold", unknown: 0 },
  },
  "destinations pause NAME": { action: "destination.paused", args: ["destinations", "pause", "b.example"] },
  "destinations resume NAME": {
    action: "destination.resumed",
    args: after(["destinations", "pause", "c.example"], "destinations", "resume", "c.example"),
  },
  "destinations retry NAME": {
    action: "destination.retried",
    async args(scene) {
      await newMail(scene, "pending");
      return ["destinations", "retry", "a.example"];
    },
  },
  "destinations set NAME": {
    action: "destination.tls_set",
    args: ["destinations", "set", "d.example", "--tls", "require"],
    after: { value: "require" },
  },
  "receivers set NAME": {
    action: "receiver.limits_set",
    args: after(["receivers", "set", "gmail", "--pause", "15m"], "receivers", "set", "gmail", "--connections", "7"),
    after: { connections: 7 },
  },
  "receivers reset NAME": { action: "receiver.limits_reset", args: ["receivers", "reset", "gmail"] },
  "addresses add IP": {
    action: "address.added",
    args: ["addresses", "add", "192.0.2.1", ...IP],
    after: { name: "mail1.example.com", bind: null, pool: "default", isPaused: false, warmUp: null },
  },
  "addresses warm-up IP": {
    action: "address.warm_up_set",
    args: ["addresses", "warm-up", "192.0.2.1", "--day", "2", "--receiver", "gmail"],
  },
  "addresses pause IP": {
    action: "address.paused",
    args: ["addresses", "pause", "192.0.2.1"],
    after: { isPaused: true },
  },
  "addresses resume IP": { action: "address.resumed", args: ["addresses", "resume", "192.0.2.1"] },
  "addresses remove IP": { action: "address.removed", args: ["addresses", "remove", "192.0.2.1"] },
  "pools create POOL": { action: "pool.created", args: ["pools", "create", "news"] },
  "pools assign POOL": {
    action: "pool.changed",
    async args({ cli }) {
      await cli("pools", "create", "bulk");
      await cli("pools", "assign", "news", "--domain", "news.example");
      return ["pools", "assign", "bulk", "--domain", "news.example"];
    },
    after: { bulk: { domains: ["news.example"] }, news: { domains: [] } },
  },
  "pools remove POOL": { action: "pool.removed", args: ["pools", "remove", "news"] },
  "suppressions add EMAIL…": {
    action: "suppression.added",
    args: ["suppressions", "add", "ann@a.example", "ben@a.example"],
  },
  "suppressions import FILE": {
    action: "suppression.added",
    async args({ dataDir }) {
      const file = join(dataDir, "addresses.txt");
      writeFileSync(file, "cleo@a.example\n");
      return ["suppressions", "import", file];
    },
  },
  "suppressions remove EMAIL": {
    action: "suppression.removed",
    async args(scene) {
      const messageId = await newMail(scene, "pending");
      const email = "user0@a.example";
      const of = { accountId: "acc_default", email, messageId, position: 0, atMs: Date.now() };
      await scene.withStore((store) => store.recordUnsubscribed(of));
      return ["suppressions", "remove", email];
    },
  },
  "domains add NAME": { action: "domain.added", args: ["domains", "add", "shop.example"] },
  "domains return-path NAME on|off": {
    action: "domain.return_path_set",
    args: ["domains", "return-path", "shop.example", "on"],
    after: { return_path: true },
  },
  "domains remove NAME": { action: "domain.removed", args: ["domains", "remove", "shop.example"] },
  "keys create": {
    action: "key.created",
    args: ["keys", "create", "--name", "website", "--permissions", "send"],
    after: { permissions: ["send"], domains: null, networks: null, expires_at: null, test: false },
  },
  "keys edit ID": {
    action: "key.changed",
    args: async (scene) => ["keys", "edit", await newKey(scene, "edited"), "--permissions", "read"],
    after: { permissions: ["read"] },
  },
  "keys revoke ID": {
    action: "key.revoked",
    args: async (scene) => ["keys", "revoke", await newKey(scene, "revoked")],
  },
  "keys release ID": {
    action: "key.released",
    args: async (scene) => ["keys", "release", await heldKey(scene, "released")],
  },
  "keys cancel-held ID": {
    action: "message.cancelled",
    args: async (scene) => ["keys", "cancel-held", await heldKey(scene, "held"), "--yes"],
    after: { recipients: 2, messages: 1 },
  },
  "keys fuse ID": {
    action: "key.fuse_set",
    args: async (scene) => ["keys", "fuse", await newKey(scene, "fused"), "--limit", "50"],
    after: { limit: 50 },
  },
  "accounts create NAME": { action: "account.created", args: ["accounts", "create", "other"] },
  "accounts delete NAME": { action: "account.deleted", args: ["accounts", "delete", "other", "--yes"] },
  "accounts restore NAME": { action: "account.restored", args: ["accounts", "restore", "other"] },
  "accounts set-quota NAME N": {
    action: "account.quota_set",
    args: ["accounts", "set-quota", "other", "5"],
    after: { quota_daily: 5 },
  },
  "accounts set-status-pages NAME on|off": {
    action: "account.status_pages_set",
    args: ["accounts", "set-status-pages", "other", "off"],
    after: { status_pages: false },
  },
  "users create EMAIL": {
    action: "user.created",
    args: ["users", "create", "ann@shop.example", "--role", "viewer", "--password-stdin"],
    after: { role: "viewer", operator: false },
  },
  "users invite EMAIL": { action: "invitation.created", args: ["users", "invite", "bob@shop.example"] },
  "users remove EMAIL": onUser("user.removed", "remove"),
  "users set-password EMAIL": onUser("user.password_changed", "set-password", "--password-stdin"),
  "users reset-second-factor EMAIL": onUser("user.second_factor_off", "reset-second-factor"),
  "webhooks create URL": { action: "webhook.created", args: ["webhooks", "create", URL_1] },
  "webhooks remove ID": onWebhook("webhook.removed", "remove"),
  "webhooks rotate ID": onWebhook("webhook.secret_rotated", "rotate"),
  "webhooks replay ID": onWebhook("webhook.replayed", "replay", "--since", "2h"),
  "webhooks pause ID": onWebhook("webhook.paused", "pause"),
  "webhooks resume ID": onWebhook("webhook.resumed", "resume"),
};

function sceneOf(t: TestContext): Scene {
  const dir = tempDir(t);
  const dataDir = join(dir, "data");
  const env = {
    DATA_DIR: dataDir,
    CERTS_DIR: join(dir, "certs"),
    DNS_SERVERS: "127.0.0.1:1",
    SENDING_IPS: "127.0.0.1",
  };
  const onFatal = (error: Error): never => {
    throw error;
  };
  let opened: Promise<Store> | undefined;
  t.after(async () => (await opened)?.close());
  return {
    dataDir,
    async cli(...args) {
      const { code, stdout, stderr } = await runCli([...args, "--json"], env, `${PASSWORD}\n`);
      assert.equal(code, 0, `${args.join(" ")}: ${stderr}`);
      return JSON.parse(stdout) as Record<string, unknown>;
    },
    async withStore(use) {
      opened ??= openSqliteSpool({ dataDir, role: "client", onFatal });
      return use(await opened);
    },
    secrets: [PASSWORD, "hooktoken1"],
  };
}

const SECRET_MEMBERS = ["key", "secret", "link"] as const;

test("every command that changes something leaves one entry, and no secret", { timeout: 120_000 }, async (t) => {
  const usages = COMMANDS.map(({ usage }) => usage);
  assert.deepEqual(usages.toSorted(), [...Object.keys(CASES), ...UNCHANGING].toSorted());
  const scene = sceneOf(t);
  await scene.cli("accounts", "create", "first");
  for (const [usage, { action, args, ...expected }] of Object.entries(CASES)) {
    await t.test(usage, async () => {
      const given = typeof args === "function" ? await args(scene) : args;
      const former = new Set((await scene.withStore(allEntries)).map(({ id }) => id));
      const json = await scene.cli(...given);
      for (const member of SECRET_MEMBERS) if (typeof json[member] === "string") scene.secrets.push(json[member]);
      const added = (await scene.withStore(allEntries)).filter(({ id }) => !former.has(id));
      assert.deepEqual(
        added.map((entry) => [entry.action, entry.actor]),
        [[action, { kind: "command_line", id: null, name: "command line", ip: null }]],
      );
      if (expected.after !== undefined) assert.deepEqual(added[0]?.after, expected.after);
    });
  }
  const entries = await scene.withStore(allEntries);
  const tokens = scene.secrets.flatMap((text) => /\/invitation\/([\w-]+)/.exec(text)?.[1] ?? []);
  assert.equal(tokens.length, 1);
  assertNoSecrets(entries, [...scene.secrets, ...tokens]);
  assert.doesNotMatch(JSON.stringify(entries), /svc_(test_|live_)?\w{10}|whsec_|PRIVATE KEY|scrypt\$/);
});

test("audit list shows the trail of an account, or of all, by its filters", async (t) => {
  const { cli, withStore, dataDir } = sceneOf(t);
  await cli("accounts", "create", "shop");
  await cli("accounts", "set-quota", "shop", "5");
  await cli("accounts", "set-quota", "shop", "7");
  await cli("destinations", "pause", "a.example");
  type Listed = { action: string; before: unknown; after: unknown; account: { name: string } | null };
  const list = async (...args: string[]) => (await cli("audit", "list", ...args)) as unknown as Listed[];
  const actions = async (...args: string[]) => (await list(...args)).map(({ action }) => action);
  assert.deepEqual(await actions(), []);
  const ofShop = ["account.quota_set", "account.quota_set", "account.created"];
  assert.deepEqual(await actions("--account", "shop"), ofShop);
  assert.deepEqual(await actions("--all-accounts"), ["destination.paused", ...ofShop]);
  assert.deepEqual(await actions("--all-accounts", "--action", "account.q"), ofShop.slice(0, 2));
  assert.deepEqual(await actions("--all-accounts", "--by", "Command"), ["destination.paused", ...ofShop]);
  assert.deepEqual(await actions("--all-accounts", "--by", "ann"), []);
  assert.deepEqual(await actions("--all-accounts", "--since", "1h", "--limit", "1"), ["destination.paused"]);
  const [changed] = await list("--account", "shop");
  assert.deepEqual(
    [changed?.before, changed?.after, changed?.account?.name],
    [{ quota_daily: 5 }, { quota_daily: 7 }, "shop"],
  );
  const env = { DATA_DIR: dataDir, CERTS_DIR: join(dataDir, "certs") };
  const text = await runCli(["audit", "list", "--account", "shop", "--limit", "1"], env);
  assert.match(
    text.stdout,
    /command line .*account\.quota_set +account shop +quota_daily 5 → 7\nOnly the newest 1 are shown/,
  );
  const both = await runCli(["audit", "list", "--account", "shop", "--all-accounts"], env);
  assert.deepEqual([both.code, both.stdout], [2, ""]);
  assert.equal((await runCli(["audit", "list", "--limit", "0"], env)).code, 2);
  assert.equal(await withStore(async (store) => (await allEntries(store)).length), 4, "listing is not recorded");
});
