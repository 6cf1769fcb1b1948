/** Rotation of the master key: every secret opens with the new one, also after an interrupted rotation. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { chownSync, cpSync, existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { Secret, TOTP } from "otpauth";
import { finishRotation, startRotation } from "../../src/app/domains/rotate-dkim.ts";
import { feedbackKey } from "../../src/app/incoming/feedback-key.ts";
import { enableSecondFactor, spendCode } from "../../src/dashboard/auth/second-factor.ts";
import type { DashboardParts } from "../../src/dashboard/web/parts.ts";
import { dkimRecord } from "../../src/domains/records.ts";
import { silentLog } from "../../src/lib/log.ts";
import { openVault, webhookSealName } from "../../src/security/vault.ts";
import { lockSealing } from "../../src/spool/engine/sqlite/connection/database.ts";
import Sqlite from "../../src/spool/engine/sqlite/connection/driver.ts";
import type { Registry } from "../../src/spool/port/accounts.ts";
import type { Domain } from "../../src/spool/port/domains.ts";
import type { User } from "../../src/spool/port/people.ts";
import { attempted, isFinal, pollUntil, send } from "../support/api-client.ts";
import { runToExit, startChild } from "../support/child-service.ts";
import { programArgs } from "../support/program.ts";
import { runCli } from "../support/run-cli.ts";
import { startSecondService } from "../support/second-service.ts";
import { tempDir } from "../support/temp-dir.ts";
import { RECIPIENT_DOMAIN, SENDER_DOMAIN, sendBody, startWorld, type World } from "../support/world.ts";

const rotate = (world: World) => runCli(["master-key", "rotate"], world.env);
const keyFile = (world: World): string => join(world.env.CERTS_DIR ?? "", "master.key");

/** A user with a second factor, as the dashboard makes one. */
async function userWithTotp(world: World): Promise<{ user: User; parts: DashboardParts }> {
  const account = await world.service.registry.accountNamed("default");
  const user = {
    email: "op@example.com",
    accountId: account?.id ?? "",
    passwordHash: "x",
    operator: true,
    createdAtMs: 0,
    usersMax: 10,
  };
  await world.service.registry.createUser(user);
  const { people } = world.service;
  const found = await people.userNamed("op@example.com");
  assert.ok(found);
  const vault = openVault(world.env.CERTS_DIR ?? "");
  const secrets = { seal: vault.seal.bind(vault), open: vault.open.bind(vault) };
  const parts = { people, secrets, clock: { now: () => Date.now() } } as unknown as DashboardParts;
  const secret = new Secret().base32;
  assert.ok(await enableSecondFactor(parts, found, { secret, code: new TOTP({ secret }).generate() }));
  const withTotp = await people.userNamed("op@example.com");
  assert.ok(withTotp?.sealedTotp);
  return { user: withTotp, parts };
}

type SealedRow = [name: string, bytes: Buffer];

/** Asserts that every secret of each kind opens with the present key. */
function allOpens({ env }: Pick<World, "env">): void {
  const vault = openVault(env.CERTS_DIR ?? "");
  const db = new Sqlite(join(env.DATA_DIR ?? "", "postrider.db"), { readonly: true });
  const rows = (sql: string): SealedRow[] => db.prepare<[], SealedRow>(sql).raw().all();
  const keys = [
    ...rows("SELECT selector || '._domainkey.' || name, sealed_private_key FROM domains"),
    ...rows(
      "SELECT r.selector || '._domainkey.' || name, r.sealed_private_key FROM rotations r JOIN domains d ON d.id = domain_id",
    ),
  ];
  const seconds = rows("SELECT 'totp of ' || id, sealed_totp FROM users WHERE sealed_totp IS NOT NULL");
  const webhooks = ["sealed_secret", "former_sealed_secret"].flatMap((column) =>
    rows(`SELECT 'webhook secret of ' || id, ${column} FROM endpoints WHERE ${column} IS NOT NULL`),
  );
  const secrets = rows("SELECT 'secret ' || name, sealed FROM secrets");
  db.close();
  assert.ok(keys.length > 0);
  for (const [name, bytes] of keys) assert.match(vault.open(name, bytes), /PRIVATE KEY/);
  for (const [name, bytes] of seconds) assert.match(vault.open(name, bytes), /^[A-Z2-7]+$/);
  for (const [name, bytes] of webhooks) assert.match(vault.open(name, bytes), /^whsec_/);
  for (const [name, bytes] of secrets) assert.match(vault.open(name, bytes), /^[A-Za-z0-9+/]{43}=$/);
}

async function stopped(t: TestContext): Promise<World> {
  const world = await startWorld(t);
  await world.service.stop();
  return world;
}

/** An endpoint with a present and a former secret. */
async function rotatedEndpoint(world: World): Promise<void> {
  const [endpointId, accountId] = ["end_1", "acc_default"];
  const vault = openVault(world.env.CERTS_DIR ?? "");
  const sealed = (secret: string): Buffer => vault.seal(webhookSealName(endpointId), secret);
  const { spool } = world.service;
  const filter = { types: null, keys: null, domains: null };
  const parts = { id: endpointId, accountId, url: "https://hooks.example/", createdAtMs: 1, endpointsMax: 1 };
  await spool.createEndpoint({ ...parts, ...filter, sealedSecret: sealed("whsec_former") });
  const change = { type: "rotate", sealedSecret: sealed("whsec_present"), formerUntilMs: 2 } as const;
  await spool.changeEndpoint({ accountId, endpointId, change });
}

/** A stopped world with a secret of each kind: of a domain, of its next DKIM key, of a user, two of an endpoint, of the service. */
async function stoppedWithAllKinds(t: TestContext): Promise<World> {
  const world = await startWorld(t);
  await userWithTotp(world);
  await rotatedEndpoint(world);
  const [domain] = await world.service.registry.domains("acc_default");
  assert.ok(domain);
  const vault = openVault(world.env.CERTS_DIR ?? "");
  await startRotation(world.service.registry, vault, { domain, nowMs: Date.now() });
  await feedbackKey({ store: world.service.registry, vault, log: silentLog });
  await world.service.stop();
  return world;
}

interface Found {
  check: string;
  state: string;
  detail: string;
}

/** The doctor's finding about the master key. */
async function masterKeyCheck({ env }: Pick<World, "env">): Promise<Found | undefined> {
  const { stdout } = await runCli(["doctor", "--json"], env);
  return (JSON.parse(stdout) as Found[]).find(({ check }) => check === "master_key");
}

test("reseals all secrets, and the second factor keeps working", async (t) => {
  const world = await startWorld(t);
  const { user, parts } = await userWithTotp(world);
  await world.service.stop();

  const before = readFileSync(keyFile(world));
  const { code, stdout, stderr } = await rotate(world);
  assert.deepEqual([code, stderr], [0, ""]);
  assert.match(stdout, /^3 secrets sealed with a new master key/);
  assert.notDeepEqual(readFileSync(keyFile(world)), before);
  assert.match(readFileSync(keyFile(world), "utf8"), /^[A-Za-z0-9+/]{43}=\n$/);
  assert.equal(statSync(keyFile(world)).mode & 0o777, 0o600);
  allOpens(world);

  const db = new Sqlite(join(world.env.DATA_DIR ?? "", "postrider.db"), { readonly: true });
  const sealedTotp = db.prepare<[], Buffer>("SELECT sealed_totp FROM users").pluck().get() ?? null;
  db.close();
  const vault = openVault(world.env.CERTS_DIR ?? "");
  const people = { spendTotpStep: async () => false, spendRecoveryCode: async () => false };
  const after = { ...parts, people, secrets: { open: vault.open.bind(vault) } } as unknown as DashboardParts;
  // It opens the sealed secret before it checks the code.
  assert.equal(await spendCode(after, { ...user, sealedTotp }, "000000"), false);
});

test("refuses while the service runs, and leaves the key unchanged", async (t) => {
  const world = await startWorld(t);
  const before = readFileSync(keyFile(world));
  const refused = await rotate(world);
  assert.deepEqual([refused.code, refused.stdout], [1, ""]);
  assert.match(refused.stderr, /another Postrider service is running/);
  assert.deepEqual(readFileSync(keyFile(world)), before);
});

test("during a rotation the service, new secrets, backups and the rotation itself work with both keys", async (t) => {
  const world = await stopped(t);
  const file = keyFile(world);
  const fresh = `${randomBytes(32).toString("base64")}\n`;
  // The file as it is before the commit; new secrets are sealed with the new key.
  writeFileSync(file, fresh + readFileSync(file, "utf8"));
  assert.equal((await runCli(["domains", "add", "new.example"], world.env)).code, 0);
  allOpens(world);

  const child = await startChild(t, world.env);
  const door = { url: child.url, key: world.key };
  const id = await send(door, sendBody());
  assert.equal((await pollUntil(door, id, attempted)).recipients[0]?.result, "delivered");
  assert.equal(world.sink.entries.at(-1)?.dkim.result, "pass");
  const backup = join(tempDir(t), "backup");
  assert.equal((await runCli(["backup", backup], world.env)).code, 0);
  const { stdout } = await child.kill("SIGTERM");
  assert.match(stdout, /"level":40,[^\n]*master\.key contains more than one key: a rotation is unfinished/);
  assert.doesNotMatch(stdout, /does not open/);
  const unfinished = await masterKeyCheck(world);
  assert.equal(unfinished?.state, "warning");
  assert.match(unfinished?.detail ?? "", /contains more than one key: [^\n]* master-key rotate/);

  assert.equal((await rotate(world)).code, 0);
  assert.equal(readFileSync(file, "utf8"), fresh, "the interrupted rotation has ended");
  allOpens(world);
  const elsewhere = tempDir(t);
  const env = { ...world.env, DATA_DIR: join(elsewhere, "data"), CERTS_DIR: join(elsewhere, "certs") };
  assert.equal((await runCli(["restore", backup], env)).code, 0);
  allOpens({ ...world, env });
  assert.equal((await masterKeyCheck(world))?.state, "ok");
});

test("refuses while another command seals or copies secrets", async (t) => {
  const world = await stopped(t);
  const before = readFileSync(keyFile(world));
  const unlock = [1, 2].map(() => lockSealing(world.env.DATA_DIR ?? "", { alone: false }));
  const { code, stderr } = await rotate(world);
  assert.deepEqual([code, stderr], [1, "postrider: another command uses the master key: try again\n"]);
  assert.deepEqual(readFileSync(keyFile(world)), before);
  for (const release of unlock) release();
  assert.equal((await rotate(world)).code, 0);
});

/** Runs the command in its own process, killed before its `at`-th effect on the secrets; returns the effects in order. */
async function killedRotate(
  env: Record<string, string>,
  at: number,
): Promise<{ effects: string[]; code: number | null }> {
  const file = join(env.DATA_DIR ?? "", "effects");
  writeFileSync(file, "");
  const args = [...programArgs("src/cli.ts", ["test/support/kill-at.ts"]), "master-key", "rotate"];
  const { PATH } = process.env;
  const child = spawn(process.execPath, args, {
    env: { PATH, ...env, KILL_AT: String(at), EFFECTS_FILE: file },
    stdio: "ignore",
  });
  const [code] = await once(child, "close");
  return { effects: readFileSync(file, "utf8").trim().split("\n"), code };
}

test("killed at any step, every secret opens, and the same command continues", async (t) => {
  const world = await stoppedWithAllKinds(t);
  const before = readFileSync(keyFile(world), "utf8");
  const copy = (): Record<string, string> => {
    const dir = tempDir(t);
    const env = { ...world.env, DATA_DIR: join(dir, "data"), CERTS_DIR: join(dir, "certs") };
    for (const setting of ["DATA_DIR", "CERTS_DIR"] as const)
      cpSync(world.env[setting] ?? "", env[setting], { recursive: true });
    return env;
  };

  const whole = await killedRotate(copy(), 0);
  assert.equal(whole.code, 0);
  assert.deepEqual(whole.effects.filter((name) => /^(rename|UPDATE|COMMIT)/.test(name)).slice(-9), [
    "rename",
    "UPDATE domains",
    "UPDATE rotations",
    "UPDATE users",
    "UPDATE endpoints",
    "UPDATE endpoints",
    "UPDATE secrets",
    "COMMIT",
    "rename",
  ]);
  const commit = whole.effects.lastIndexOf("COMMIT");
  for (const [i, name] of whole.effects.entries()) {
    // Each is a process of its own: all of them in CI, else the two around the commit.
    const isTold = process.env.CI === "true" || [commit, commit + 1].includes(i);
    if (!isTold) continue;
    const env = copy();
    const { effects, code } = await killedRotate(env, i + 1);
    assert.deepEqual([effects.at(-1), effects.length, code], [name, i + 1, null], "killed there");
    allOpens({ env });
    const again = await runCli(["master-key", "rotate"], env);
    assert.deepEqual([again.code, again.stderr], [0, ""], name);
    assert.match(again.stdout, /^6 secrets/);
    allOpens({ env });
    const after = readFileSync(join(env.CERTS_DIR ?? "", "master.key"), "utf8");
    assert.match(after, /^[A-Za-z0-9+/]{43}=\n$/);
    assert.notEqual(after, before);
    assert.deepEqual(readdirSync(env.CERTS_DIR ?? ""), ["master.key"], "no other key file remains");
  }
});

const inSpool = <T>({ env }: World, run: (db: InstanceType<typeof Sqlite>) => T): T => {
  const db = new Sqlite(join(env.DATA_DIR ?? "", "postrider.db"));
  try {
    return run(db);
  } finally {
    db.close();
  }
};

const SEALED_COLUMNS = [
  ["domains", "sealed_private_key", /sealed value \S+\._domainkey\.shop\.example opens/],
  ["rotations", "sealed_private_key", /sealed value \S+\._domainkey\.shop\.example opens/],
  ["users", "sealed_totp", /sealed value totp of usr_\S+ opens/],
  ["endpoints", "sealed_secret", /sealed value webhook secret of end_1 opens/],
] as const;

test("refuses if a secret in use opens with no key, names it and changes nothing", async (t) => {
  const world = await stoppedWithAllKinds(t);
  const stored = (): unknown[] =>
    inSpool(world, (db) => SEALED_COLUMNS.map(([table, column]) => db.prepare(`SELECT ${column} FROM ${table}`).all()));
  const key = readFileSync(keyFile(world));
  for (const [table, column, named] of SEALED_COLUMNS) {
    const set = (bytes: unknown): unknown =>
      inSpool(world, (db) => {
        const before = db.prepare(`SELECT ${column} FROM ${table}`).pluck().get();
        db.prepare(`UPDATE ${table} SET ${column} = ?`).run(bytes);
        return before;
      });
    const opening = set(randomBytes(60));
    const before = stored();
    const { code, stdout, stderr } = await rotate(world);
    assert.deepEqual([code, stdout], [1, ""], table);
    assert.match(stderr, /^postrider: [^\n]+ with no key in master\.key, which is unchanged: [^\n]+\n$/);
    assert.match(stderr, named);
    assert.deepEqual(readFileSync(keyFile(world)), key, table);
    assert.deepEqual(readdirSync(world.env.CERTS_DIR ?? ""), ["master.key"], table);
    assert.deepEqual(stored(), before, table);
    set(opening);
  }
  assert.match((await rotate(world)).stdout, /^6 secrets/);
});

test("counts former secrets that no key opens and leaves them; reseals those that open", async (t) => {
  const world = await stoppedWithAllKinds(t);
  const lost = randomBytes(60);
  inSpool(world, (db) => {
    const copyDomain = db.prepare(
      `INSERT INTO domains SELECT @id, account_id, @name, token, created_at_ms, 1, verified, checks, next_check_at_ms,
         selector, public_key, coalesce(@bytes, sealed_private_key) FROM domains WHERE removed_at_ms IS NULL`,
    );
    copyDomain.run({ id: "dom_lost", name: "lost.example", bytes: lost });
    copyDomain.run({ id: "dom_opens", name: SENDER_DOMAIN, bytes: null });
    db.prepare("INSERT INTO rotations SELECT 'dom_lost', selector, public_key, ?, 1 FROM rotations").run(lost);
    db.prepare("UPDATE endpoints SET former_sealed_secret = ?").run(lost);
  });
  const { code, stdout, stderr } = await rotate(world);
  assert.deepEqual([code, stderr], [0, ""]);
  assert.match(stdout, /^6 secrets sealed [^\n]+\nLeft unchanged: 3 former secrets that no master key opens\.\n$/);
  assert.match(readFileSync(keyFile(world), "utf8"), /^[A-Za-z0-9+/]{43}=\n$/);
  inSpool(world, (db) => {
    for (const column of ["domains WHERE id", "rotations WHERE domain_id"]) {
      const left = db.prepare(`SELECT sealed_private_key FROM ${column} = 'dom_lost'`).pluck().get();
      assert.deepEqual(left, lost, column);
    }
    db.exec("DELETE FROM rotations WHERE domain_id = 'dom_lost'; DELETE FROM domains WHERE id = 'dom_lost'");
    const former = db.prepare("SELECT former_sealed_secret FROM endpoints").pluck();
    assert.deepEqual(former.get(), lost);
    db.exec("UPDATE endpoints SET former_sealed_secret = NULL");
  });
  allOpens(world);
});

test("keeps the owner of every file when run by root", {
  skip: process.getuid?.() === 0 ? false : "needs root",
}, async (t) => {
  const world = await stopped(t);
  const places = [world.env.DATA_DIR ?? "", world.env.CERTS_DIR ?? ""];
  for (const setting of places) {
    for (const name of readdirSync(setting)) chownSync(join(setting, name), 65_534, 65_534);
    chownSync(setting, 65_534, 65_534);
  }
  assert.equal((await rotate(world)).code, 0);
  for (const setting of places) {
    for (const name of readdirSync(setting)) assert.equal(statSync(join(setting, name)).uid, 65_534, name);
  }
});

test("makes no new master key over sealed secrets, and reports a missing key until it is back", {
  timeout: 60_000,
}, async (t) => {
  const world = await startWorld(t);
  const { env } = world;
  await userWithTotp(world);
  await world.service.stop();
  const old = readFileSync(keyFile(world), "utf8");
  rmSync(keyFile(world));

  const refusal =
    /^postrider: CERTS_DIR=\S+ has no master\.key, but DATA_DIR=\S+ holds secrets sealed with one: [^\n]+\n$/;
  const start = await runToExit(t, env);
  assert.equal(start.code, 1);
  assert.match(start.stderr, refusal);
  const added = await runCli(["domains", "add", "other.example"], env);
  assert.equal(added.code, 1);
  assert.match(added.stderr, /^postrider: CERTS_DIR=[^\n]+ master\.key, [^\n]+\n$/);
  assert.equal(existsSync(keyFile(world)), false);
  const missing = await masterKeyCheck(world);
  assert.equal(missing?.state, "problem");
  assert.match(missing?.detail ?? "", /^CERTS_DIR has no master\.key/);

  const made = await runCli(["master-key", "new"], env);
  assert.equal(made.code, 0, made.stderr);
  assert.match(
    made.stdout,
    /second factors of 1 user: [\s\S]*DKIM keys of 1 domain: [\s\S]*secrets of 0 webhook endpoints: /,
  );
  const again = await runCli(["master-key", "new"], env);
  assert.deepEqual([again.code, /has a master\.key/.test(again.stderr)], [1, true]);
  const wrong = await startChild(t, env);
  const readiness = await fetch(`${wrong.url}/readyz`);
  assert.equal(readiness.status, 503);
  assert.match(await readiness.text(), /master_key: The master key does not open the DKIM keys of /);
  assert.equal((await masterKeyCheck(world))?.state, "problem");
  const { stdout } = await wrong.kill("SIGTERM");
  assert.match(stdout, /"level":50,[^\n]*The master key does not open the DKIM keys of [^\n]*master key check failed/);

  writeFileSync(keyFile(world), `${readFileSync(keyFile(world), "utf8")}${old}`);
  assert.equal((await rotate(world)).code, 0);
  allOpens(world);
  assert.equal((await masterKeyCheck(world))?.state, "ok");
  const right = await startChild(t, env);
  assert.equal((await fetch(`${right.url}/readyz`)).status, 200);
  assert.doesNotMatch((await right.kill("SIGTERM")).stdout, /master key check failed/);
});

/** Rotates the DKIM key of the world's domain, and publishes its record. */
async function renewDkimKey({ zone, resolver, env }: World, registry: Registry): Promise<void> {
  const domain = async (): Promise<Domain> => {
    const bound = await registry.domainNamed("acc_default", SENDER_DOMAIN);
    assert.ok(bound);
    return bound;
  };
  const nowMs = Date.now();
  const former = await domain();
  await startRotation(registry, openVault(env.CERTS_DIR ?? ""), { domain: former, nowMs });
  const [rotation] = await registry.rotations();
  assert.ok(rotation);
  const record = dkimRecord({ ...rotation, name: SENDER_DOMAIN });
  zone.set(record.name, record.type, [record.value]);
  const context = { resolver, hostname: "mta.shop.example", sendingIps: ["127.0.0.1"], allowPrivate: true };
  assert.equal(await finishRotation(registry, rotation, { domain: former, context, nowMs }), true);
  assert.notEqual((await domain()).selector, former.selector);
}

test("after the loss of the master key, messages from before the new DKIM key are signed and delivered, and the key can be rotated", async (t) => {
  const world = await startWorld(t, { RETRY_SCHEDULE: "1h" });
  const { env, sink } = world;
  await world.service.spool.pauseDomain(RECIPIENT_DOMAIN, Date.now());
  const beforeLoss = await send({ url: world.service.url, key: world.key }, sendBody({ subject: "before the loss" }));
  await world.service.stop();
  rmSync(keyFile(world));
  assert.equal((await runCli(["master-key", "new"], env)).code, 0);

  const service = await startSecondService(t, env);
  const door = { url: service.url, key: world.key };
  await service.spool.resumeDomain(RECIPIENT_DOMAIN);
  const beforeNewKey = await send(door, sendBody({ subject: "before the new key" }));
  for (const id of [beforeLoss, beforeNewKey]) {
    const [recipient] = (await pollUntil(door, id, attempted)).recipients;
    assert.deepEqual([recipient?.result, recipient?.reason], ["pending", "internal_error"]);
  }
  assert.equal(sink.entries.length, 0);
  assert.equal((await masterKeyCheck(world))?.state, "problem");

  await renewDkimKey(world, service.registry);
  for (const id of [beforeLoss, beforeNewKey]) assert.equal((await runCli(["queue", "retry", id], env)).code, 0);
  const afterwards = await send(door, sendBody({ subject: "afterwards" }));
  for (const id of [beforeLoss, beforeNewKey, afterwards])
    assert.equal((await pollUntil(door, id, isFinal)).recipients[0]?.result, "delivered");
  assert.deepEqual(
    sink.entries.map(({ dkim }) => dkim.result),
    ["pass", "pass", "pass"],
  );
  assert.equal((await masterKeyCheck(world))?.state, "ok");
  await service.stop();

  const { code, stdout, stderr } = await rotate(world);
  assert.deepEqual([code, stderr], [0, ""]);
  assert.match(stdout, /^2 secrets sealed [^\n]+\nLeft unchanged: 1 former secret that no master key opens\.\n$/);
  assert.match(readFileSync(keyFile(world), "utf8"), /^[A-Za-z0-9+/]{43}=\n$/);
  assert.equal((await masterKeyCheck(world))?.state, "ok");
});
