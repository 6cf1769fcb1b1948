/** Users on the command line: a new password, a reset of the second factor, and valid names. */
import assert from "node:assert/strict";
import { it, type TestContext } from "node:test";
import { verifyPassword } from "../../src/security/passwords.ts";
import { openSqliteSpool } from "../../src/spool/engine/sqlite/sqlite-spool.ts";
import { ownAccountId } from "../../src/spool/port/memberships.ts";
import type { People } from "../../src/spool/port/people.ts";
import { runCli } from "../support/run-cli.ts";
import { tempDir } from "../support/temp-dir.ts";

const EMAIL = "ann@shop.example";
const FIRST = "a first long password";

async function installation(t: TestContext) {
  const dir = tempDir(t);
  const env = { DATA_DIR: `${dir}/data`, CERTS_DIR: `${dir}/certs` };
  const cli = (args: string[], input = "") => runCli(args, env, input);
  const made = await cli(["users", "create", EMAIL, "--password-stdin"], FIRST);
  assert.equal(made.code, 0, made.stderr);
  const store = await openSqliteSpool({
    dataDir: env.DATA_DIR,
    role: "service",
    onFatal: (error) => {
      throw error;
    },
  });
  t.after(() => store.close());
  return { cli, people: store.people };
}

async function startSession(people: People): Promise<string> {
  const user = await people.userNamed(EMAIL);
  assert.ok(user !== null);
  const { id: userId } = user;
  const accountId = ownAccountId(user);
  const times = { createdAtMs: 1, seenAtMs: 1 };
  await people.startSession({ hash: Buffer.alloc(32, 7), userId, accountId, agent: "", ip: "", ...times });
  return userId;
}

it("changes a user's password, and ends the sessions", async (t) => {
  const { cli, people } = await installation(t);
  const userId = await startSession(people);
  const set = (input: string, ...more: string[]) =>
    cli(["users", "set-password", EMAIL.toUpperCase(), "--password-stdin", ...more], input);
  for (const input of ["short\n", "two lines\nof a password\n", "x".repeat(1001)]) {
    const refused = await set(input);
    assert.deepEqual([refused.code, refused.stdout], [1, ""]);
    assert.ok(!refused.stderr.includes(input.trim()), refused.stderr);
  }
  assert.equal((await people.sessions(userId)).length, 1);
  assert.equal((await cli(["users", "set-password", EMAIL], "a second long password")).code, 2);
  assert.match(
    (await cli(["users", "set-password", "eve@e.example", "--password-stdin"], FIRST)).stderr,
    /no user eve@/,
  );

  const done = await set("a second long password\n", "--json");
  assert.deepEqual([done.code, JSON.parse(done.stdout)], [0, { id: userId, email: EMAIL, sessions_ended: 1 }]);
  assert.deepEqual(await people.sessions(userId), []);
  const stored = (await people.userNamed(EMAIL))?.passwordHash ?? "";
  assert.equal(await verifyPassword("a second long password", stored), true);
});

it("turns off the second factor of a lost phone, and ends the sessions", async (t) => {
  const { cli, people } = await installation(t);
  const userId = await startSession(people);
  assert.equal((await cli(["users", "reset-second-factor", EMAIL])).code, 1, "there is none");
  await people.setTotp(userId, { sealed: Buffer.from("x"), recoveryHashes: [Buffer.from("y")] });
  const done = await cli(["users", "reset-second-factor", EMAIL, "--json"]);
  assert.deepEqual([done.code, JSON.parse(done.stdout).sessions_ended], [0, 1]);
  assert.equal((await people.userNamed(EMAIL))?.sealedTotp, null);
  assert.equal(await people.recoveryCodesLeft(userId), 0);
  assert.deepEqual(await people.sessions(userId), []);
});

it("lists both commands in the help", async (t) => {
  const { cli } = await installation(t);
  const { stdout } = await cli(["help", "users"]);
  assert.match(stdout, /^ {2}users set-password EMAIL --password-stdin {2,}\S/m);
  assert.match(stdout, /^ {2}users reset-second-factor EMAIL {2,}\S/m);
});

it("refuses names with control characters", async (t) => {
  const { cli } = await installation(t);
  for (const name of ["a\tb", "a\nb", "red \u001b[31mkey", "a\u2028b", "exe\u202egnp", "\u0085x"]) {
    const refused = await cli(["keys", "create", "--name", name]);
    assert.deepEqual([refused.code, refused.stdout], [1, ""], JSON.stringify(name));
    assert.match(refused.stderr, /^postrider: the key's name must not have control characters/);
  }
  for (const email of ["ann\u0007@shop.example", "a\nb@shop.example"]) {
    const refused = await cli(["users", "create", email, "--password-stdin"], FIRST);
    assert.deepEqual([refused.code, refused.stdout], [1, ""], JSON.stringify(email));
  }
  assert.equal((await cli(["accounts", "create", "a\tb"])).code, 1);
  assert.equal((await cli(["keys", "create", "--name", "Köln, 2. Büro 👩‍💻"])).code, 0);
});
