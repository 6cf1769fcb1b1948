/** The master key exchanged: all that was sealed opens with the new one, also after an exchange that was broken off. */
import assert from "node:assert/strict";
import { copyFileSync, existsSync, readFileSync, renameSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import Sqlite from "better-sqlite3";
import { Secret, TOTP } from "otpauth";
import type { DashboardParts } from "../../src/dashboard/parts.ts";
import { isSecondFactor, turnOn } from "../../src/dashboard/second-factor.ts";
import { sealName } from "../../src/delivery/signer.ts";
import { openVault } from "../../src/secrets.ts";
import type { User } from "../../src/spool/people.ts";
import { runCli } from "../support/run-cli.ts";
import { startWorld, type World } from "../support/world.ts";

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
  };
  await world.service.registry.createUser(user);
  const { people } = world.service;
  const found = await people.userNamed("op@example.com");
  assert.ok(found);
  const vault = openVault(world.env.CERTS_DIR ?? "");
  const secrets = { seal: vault.seal.bind(vault), open: vault.open.bind(vault) };
  const parts = { people, secrets, clock: { now: () => Date.now() } } as unknown as DashboardParts;
  const secret = new Secret().base32;
  assert.ok(await turnOn(parts, found, { secret, code: new TOTP({ secret }).generate() }));
  const withTotp = await people.userNamed("op@example.com");
  assert.ok(withTotp?.sealedTotp);
  return { user: withTotp, parts };
}

/** Whether all that is sealed opens with the key in place. */
function allOpens(world: World): void {
  const vault = openVault(world.env.CERTS_DIR ?? "");
  const db = new Sqlite(join(world.env.DATA_DIR ?? "", "postrider.db"), { readonly: true });
  const rows = db
    .prepare<[], { name: string; selector: string; bytes: Buffer }>(
      "SELECT name, selector, sealed_private_key AS bytes FROM domains",
    )
    .all();
  assert.ok(rows.length > 0);
  for (const { name, selector, bytes } of rows)
    assert.match(vault.open(sealName(name, selector), bytes), /PRIVATE KEY/);
  db.close();
}

async function stopped(t: TestContext): Promise<World> {
  const world = await startWorld(t);
  await world.service.stop();
  return world;
}

test("all secrets are sealed anew, and the second factor goes on", async (t) => {
  const world = await startWorld(t);
  const { user, parts } = await userWithTotp(world);
  const refused = await rotate(world);
  assert.deepEqual([refused.code, refused.stdout], [1, ""]);
  assert.match(refused.stderr, /another Postrider service is running/);
  await world.service.stop();

  const before = readFileSync(keyFile(world));
  const { code, stdout, stderr } = await rotate(world);
  assert.deepEqual([code, stderr], [0, ""]);
  assert.match(stdout, /^2 secrets sealed with a new master key/);
  assert.notDeepEqual(readFileSync(keyFile(world)), before);
  assert.ok(!existsSync(`${keyFile(world)}.next`));
  allOpens(world);

  const db = new Sqlite(join(world.env.DATA_DIR ?? "", "postrider.db"), { readonly: true });
  const sealedTotp = db.prepare<[], Buffer>("SELECT sealed_totp FROM users").pluck().get() ?? null;
  db.close();
  const vault = openVault(world.env.CERTS_DIR ?? "");
  const people = { spendTotpStep: async () => false, spendRecoveryCode: async () => false };
  const after = { ...parts, people, secrets: { open: vault.open.bind(vault) } } as unknown as DashboardParts;
  // It opens what is sealed before it looks at the code.
  assert.equal(await isSecondFactor(after, { ...user, sealedTotp }, "000000"), false);
});

test("broken off before or after the commit, the same command goes on; nothing starts in between", async (t) => {
  const world = await stopped(t);
  const file = keyFile(world);
  copyFileSync(file, `${file}.old`);
  assert.equal((await rotate(world)).code, 0);
  // As it stands between the commit and the exchange of the files.
  renameSync(file, `${file}.next`);
  renameSync(`${file}.old`, file);
  assert.throws(() => openVault(world.env.CERTS_DIR ?? ""), /master-key rotate again/);
  const next = readFileSync(`${file}.next`);
  assert.equal((await rotate(world)).code, 0);
  assert.deepEqual(readFileSync(file), next);
  allOpens(world);
});

test("a secret that neither key opens stops it, and nothing has changed", async (t) => {
  const world = await stopped(t);
  const db = new Sqlite(join(world.env.DATA_DIR ?? "", "postrider.db"));
  db.exec("UPDATE domains SET selector = 'another'");
  db.close();
  const { code, stderr } = await rotate(world);
  assert.equal(code, 1);
  assert.match(
    stderr,
    /^postrider: the sealed value another\._domainkey\.shop\.example opens with neither key[^\n]*\n$/,
  );
});
