/** A restore puts the whole backup in place or nothing, whatever obstacle, damage or kill it meets. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { type TestContext, test } from "node:test";
import { lockDataDir } from "../../src/spool/engine/sqlite/connection/database.ts";
import Sqlite from "../../src/spool/engine/sqlite/connection/driver.ts";
import { openSqliteSpool } from "../../src/spool/engine/sqlite/sqlite-spool.ts";
import { newMessage } from "../support/messages.ts";
import { programArgs } from "../support/program.ts";
import { runCli } from "../support/run-cli.ts";
import { tempDir } from "../support/temp-dir.ts";

const MESSAGES = 40;

type Env = Record<string, string>;

const installationIn = (dir: string): Env => ({ DATA_DIR: join(dir, "data"), CERTS_DIR: join(dir, "certs") });
const spoolOf = (env: Env): string => join(env.DATA_DIR ?? "", "postrider.db");

async function filled(env: Env, count: number): Promise<void> {
  const onFatal = (error: Error): void => assert.fail(error);
  const spool = await openSqliteSpool({ dataDir: env.DATA_DIR ?? "", role: "service", onFatal });
  const content = Buffer.alloc(8000, "Hello ");
  await Promise.all(Array.from({ length: count }, () => spool.accept(newMessage({ content }))));
  await spool.close();
}

/** A backup with a master key, and an empty installation to restore it into. */
async function backup(t: TestContext): Promise<{ file: string; from: Env; env: Env }> {
  const from = installationIn(tempDir(t));
  await filled(from, MESSAGES);
  assert.equal((await runCli(["domains", "add", "shop.example"], from)).code, 0);
  const file = join(tempDir(t), "backup");
  assert.equal((await runCli(["backup", file], from)).code, 0);
  return { file, from, env: installationIn(tempDir(t)) };
}

/** Every file below `dir` with its digest, except lock files. */
function filesBelow(dir: string): Record<string, string> {
  if (!existsSync(dir)) return {};
  const found = readdirSync(dir, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const named = found.filter(({ name }) => !name.endsWith(".lock"));
  return Object.fromEntries(
    named.map(({ parentPath, name }) => [join(parentPath, name), digest(join(parentPath, name))]),
  );
}

const digest = (file: string): string => createHash("sha256").update(readFileSync(file)).digest("hex");

/** Expects exit 1 and one line with these words, and no file changed, created or removed in the installation or beside the backup. */
async function refused(file: string, env: Env, ...words: RegExp[]): Promise<void> {
  const places = [env.DATA_DIR ?? "", env.CERTS_DIR ?? "", ...(existsSync(file) ? [dirname(file)] : [])];
  const before = places.map(filesBelow);
  const { code, stdout, stderr } = await runCli(["restore", file], env);
  assert.deepEqual([code, stdout], [1, ""], stderr);
  assert.match(stderr, /^postrider: [^\n]+\n$/);
  for (const word of words) assert.match(stderr, word);
  assert.deepEqual(places.map(filesBelow), before);
}

function messagesIn(file: string): number {
  const db = new Sqlite(file);
  try {
    assert.equal(db.pragma("integrity_check", { simple: true }), "ok");
    return db.prepare<[], number>("SELECT count(*) FROM contents").pluck().get() ?? 0;
  } finally {
    db.close();
  }
}

async function restores(file: string, env: Env): Promise<void> {
  const { code, stderr } = await runCli(["restore", file], env);
  assert.deepEqual([code, stderr], [0, ""]);
  assert.deepEqual(
    readdirSync(env.DATA_DIR ?? "").filter((name) => !name.endsWith(".lock")),
    ["postrider.db"],
  );
  assert.equal(statSync(spoolOf(env)).mode & 0o777, 0o600);
  assert.equal(messagesIn(spoolOf(env)), MESSAGES);
}

test("refuses next to any file of a spool, names it and leaves it unchanged", async (t) => {
  const { file, env } = await backup(t);
  const suffixes = ["", "-wal", "-shm", "-journal"];
  for (const left of [...suffixes.map((suffix) => [suffix]), ["-wal", "-shm"], suffixes]) {
    const target = installationIn(tempDir(t));
    mkdirSync(target.DATA_DIR ?? "", { recursive: true });
    for (const suffix of left) writeFileSync(spoolOf(target) + suffix, `left behind ${suffix}`);
    const names = left.map((suffix) => new RegExp(`[ ]postrider\\.db${suffix}[, ]`));
    const what = left.includes("") ? /there is a spool in/ : /there is a part of a spool in/;
    await refused(file, target, what, /: move postrider\.db/, ...names);
    for (const suffix of left) writeFileSync(spoolOf(target) + suffix, "");
    await refused(file, target, what);
  }
  await restores(file, env);
});

test("does not open an existing spool: one of an earlier schema stays so", async (t) => {
  const { file, from, env } = await backup(t);
  mkdirSync(env.DATA_DIR ?? "", { recursive: true });
  copyFileSync(spoolOf(from), spoolOf(env));
  const db = new Sqlite(spoolOf(env));
  db.pragma("journal_mode = DELETE");
  db.exec("DROP INDEX domains_due");
  db.pragma(`user_version = ${(db.pragma("user_version", { simple: true }) as number) - 1}`);
  db.close();
  await refused(file, env, /there is a spool in/);
});

test("does not apply an old write-ahead log to the restored spool: once it is moved away, the whole backup is restored", async (t) => {
  const { file, from, env } = await backup(t);
  const dataDir = env.DATA_DIR ?? "";
  mkdirSync(dataDir, { recursive: true });
  // A log of the same spool, as a crash leaves it, which SQLite would replay over the restored file.
  const db = new Sqlite(spoolOf(from));
  db.exec("DELETE FROM contents");
  copyFileSync(`${spoolOf(from)}-wal`, `${spoolOf(env)}-wal`);
  copyFileSync(join(from.DATA_DIR ?? "", "postrider.db-id"), join(dataDir, "postrider.db-id"));
  db.close();
  await refused(file, env, /postrider\.db-wal/);
  renameSync(`${spoolOf(env)}-wal`, join(tempDir(t), "log"));
  // The restore removes the list with the old file's number.
  await restores(file, env);
});

test("refuses a damaged file and one that is not a backup, leaving nothing", async (t) => {
  const { file, from, env } = await backup(t);
  const other = (name: string): string => join(tempDir(t), name);
  const sizeBytes = statSync(file).size;

  await refused(`${file}.not`, env, /there is no file/);
  const directory = other("directory");
  mkdirSync(directory);
  await refused(directory, env, /it is not a file/);
  for (const [bytes, words] of [
    ["", /is not a backup/],
    ["SQLite format 3\0", /./],
    ["not a database at all, whatever its name says".repeat(30), /file is not a database/],
  ] as const) {
    const rubbish = other("rubbish");
    writeFileSync(rubbish, bytes);
    await refused(rubbish, env, words);
  }
  const database = other("other.db");
  new Sqlite(database).exec("CREATE TABLE key_values (name, text)").close();
  await refused(database, env, /is not a backup/);

  for (const part of [0.1, 0.5, 0.9]) {
    const cut = other("cut");
    copyFileSync(file, cut);
    truncateSync(cut, Math.floor((sizeBytes * part) / 4096) * 4096);
    await refused(cut, env, /malformed|is not a backup/);
  }
  const torn = other("torn");
  const bytes = readFileSync(file);
  for (let page = 3; page < sizeBytes / 4096; page += 7) bytes.fill(0x5a, page * 4096, page * 4096 + 600);
  writeFileSync(torn, bytes);
  await refused(torn, env, /malformed/);

  const newer = other("newer");
  copyFileSync(file, newer);
  const db = new Sqlite(newer);
  db.pragma("user_version = 999");
  db.close();
  await refused(newer, env, /schema 999/);

  const copy = other("copy.db");
  copyFileSync(spoolOf(from), copy);
  await refused(copy, env, /it is a spool itself, or a copy of one/);
  for (const suffix of ["-wal", "-journal"]) {
    const whole = other("whole");
    copyFileSync(file, whole);
    writeFileSync(`${whole}${suffix}`, "x");
    await refused(whole, env, new RegExp(`whole${suffix} lies beside it`));
  }
  assert.ok(!existsSync(env.CERTS_DIR ?? "") || readdirSync(env.CERTS_DIR ?? "").length === 0, "no key was placed");
  await restores(file, env);
});

test("refuses before placing anything if another master key exists or a service runs", async (t) => {
  const { file, env } = await backup(t);
  mkdirSync(env.CERTS_DIR ?? "", { recursive: true });
  writeFileSync(join(env.CERTS_DIR ?? "", "master.key"), `${randomBytes(32).toString("base64")}\n`);
  await refused(file, env, /master\.key is not the key of this backup/);
  const busy = installationIn(tempDir(t));
  const unlock = lockDataDir(busy.DATA_DIR ?? "");
  await refused(file, busy, /another Postrider service is running/);
  unlock();
  await restores(file, busy);
});

/** Runs the command in its own process, killed before its `at`-th effect on DATA_DIR and CERTS_DIR; returns the effects. */
async function killedRestore(file: string, env: Env, at: number): Promise<{ effects: string[]; code: number | null }> {
  const effectsFile = join(dirname(env.DATA_DIR ?? ""), "effects");
  writeFileSync(effectsFile, "");
  const args = [...programArgs("src/cli.ts", ["test/support/kill-at.ts"]), "restore", file];
  const { PATH } = process.env;
  const variables = { KILL_AT: String(at), EFFECTS_FILE: effectsFile, KILL_DIR: env.DATA_DIR };
  const child = spawn(process.execPath, args, { env: { PATH, ...env, ...variables }, stdio: "ignore" });
  const [code] = await once(child, "close");
  return { effects: readFileSync(effectsFile, "utf8").trim().split("\n"), code };
}

const skip = process.env.CI === "true" ? false : "starts several services, so it runs with CI=true";

test("killed at any step, it leaves no spool or the whole one, and the same command continues", { skip }, async (t) => {
  const { file } = await backup(t);
  const whole = await killedRestore(file, installationIn(tempDir(t)), 0);
  assert.equal(whole.code, 0);
  const links = whole.effects.flatMap((name, i) => (name === "link" ? [i] : []));
  assert.equal(links.length, 2, `one for the key, one for the spool: ${whole.effects.join()}`);
  for (const [i, name] of whole.effects.entries()) {
    // Each is a process of its own: all of them in CI, else the most important ones.
    const isTold = process.env.CI === "true" || ["copy", "COMMIT", "link"].includes(name) || i === (links[1] ?? 0) + 1;
    if (!isTold) continue;
    const env = installationIn(tempDir(t));
    const { effects, code } = await killedRestore(file, env, i + 1);
    assert.deepEqual([effects.at(-1), effects.length, code], [name, i + 1, null], "killed there");
    const step = `${basename(file)} killed before ${name}, step ${i}`;
    if (!existsSync(spoolOf(env))) await restores(file, env);
    else assert.equal(messagesIn(spoolOf(env)), MESSAGES, step);
    // A later start finds nothing that the kill left behind either.
    await filled(env, 1);
    assert.equal(messagesIn(spoolOf(env)), MESSAGES + 1, step);
    assert.ok(!readdirSync(env.DATA_DIR ?? "").some((left) => left.includes("partial")), step);
  }
});
