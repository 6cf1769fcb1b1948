/** Filled spools. With `--dir` they are kept, because filling one with a million messages takes minutes. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Account } from "../sides/postrider-account.ts";
import { type Filling, fillSpool } from "../spool-filler.ts";
import type { Bench } from "./figure.ts";

/** Waiting messages become due a day after the filling. */
const USABLE_MS = 12 * 3_600_000;

interface Kept {
  account: Account;
  filledAtMs: number;
}

/** Returns an account whose spool holds that many messages. */
export async function fullSpool(bench: Bench, name: string, filling: Filling): Promise<Account> {
  const { dir } = bench.options;
  const note = dir === null ? null : join(dir, `${name}-${filling.finished}-${filling.waiting}.json`);
  const kept: Kept | null = note !== null && existsSync(note) ? JSON.parse(readFileSync(note, "utf8")) : null;
  if (kept !== null && Date.now() - kept.filledAtMs < USABLE_MS) return kept.account;
  const account = await bench.newAccount(name);
  const startMs = performance.now();
  await fillSpool(account, filling, bench.progress);
  bench.progress(`filled it in ${Math.round((performance.now() - startMs) / 1000)} s`);
  const text = JSON.stringify({ account, filledAtMs: Date.now() } satisfies Kept);
  if (note !== null) writeFileSync(note, text, { mode: 0o600 });
  return account;
}
