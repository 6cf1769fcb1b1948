/**
 * Follows README on a clean Debian in its own network: from the first command to a message in a Postfix mailbox. Runs
 * only in CI and as root, because it creates two Debian root directories once, and compiles what `npm ci` compiles.
 */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { CHECKOUT } from "../support/program.ts";

/** Only root may write here. Kept between runs; CI creates them beforehand. */
const MACHINES = "/var/cache/postrider-sysadmin";
const LIMIT_MS = 900_000;

const isWanted = process.env.CI === "true" || process.env.POSTRIDER_PEERS === "1";
const skip = isWanted ? false : "the clean Debian runs on demand only: as root, with POSTRIDER_PEERS=1 or CI=true";

async function run(script: string, args: string[]): Promise<string> {
  const path = fileURLToPath(new URL(script, import.meta.url));
  const done = await promisify(execFile)(path, args, { timeout: LIMIT_MS }).catch((error) => error);
  assert.ok(!(done instanceof Error), `${done}\n${done.stdout}\n${done.stderr}`);
  return done.stdout;
}

test("a new sysadmin's first message", { skip, timeout: LIMIT_MS }, async (t) => {
  await run("make-hosts.sh", [MACHINES, CHECKOUT]);
  const output = await run("first-mail.sh", [MACHINES, CHECKOUT]);
  // README's prerequisites hold, so doctor finds no problem with them.
  for (const check of [
    "resolver",
    "hostname",
    "reverse_dns 192.0.2.10",
    "outbound_smtp",
    "blocklist zen.spamhaus.org",
  ]) {
    assert.match(output, new RegExp(`^ok +${check} `, "m"));
  }
  assert.match(output, /^example\.com is verified: it may send\./m);
  const [took] = /^delivered: .*$/m.exec(output) ?? [];
  assert.ok(took !== undefined, output);
  t.diagnostic(took);
});
