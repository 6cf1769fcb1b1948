/** What the suites of accounts, people, domains and reports share. */
import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import type { Registry } from "../../../../src/spool/port/accounts.ts";
import type { DomainChecks } from "../../../../src/spool/port/domains.ts";
import type { Store as WholeStore } from "../../../../src/spool/port/store.ts";
import { HOUR_MS, newMessage } from "../../../support/messages.ts";
import type { SpoolUnderTest } from "./suite.ts";

export type Store = WholeStore & Pick<SpoolUnderTest, "lapse">;

export type OpenStore = (t: TestContext) => Promise<Store>;

export const NOW_MS = 1_700_000_000_000;
export const MINUTE_MS = 60_000;
export const CLAIM = { limit: 1000, perDomain: 1000, allowance: {} };

/** Accepts a message with these parts. */
export const acceptMessage = async (store: Store, parts: Parameters<typeof newMessage>[0] = {}) => {
  const message = newMessage({ createdAtMs: NOW_MS, expiresAtMs: NOW_MS + 48 * HOUR_MS, ...parts });
  assert.equal((await store.accept(message)).type, "accepted");
  return message;
};

export const newUserParts = {
  email: "ann@shop.example",
  accountId: "acc_default",
  passwordHash: "hash",
  operator: false,
  createdAtMs: NOW_MS,
  usersMax: 10,
};

const check = {
  state: "pending",
  detail: "",
  expected: "",
  found: [],
  standing: false,
  failedSinceMs: null,
} as const;
export const checksAt = (atMs: number, state: "pending" | "verified" | "failed" = "pending"): DomainChecks => {
  const one = () => ({ ...check, found: [], state, checkedAtMs: atMs });
  return { ownership: one(), mx: one(), spf: one(), dkim: one(), dmarc: one() };
};
export const newDomain: Parameters<Registry["addDomain"]>[0] = {
  accountId: "acc_default",
  name: "shop.example",
  token: "token",
  createdAtMs: NOW_MS,
  checks: checksAt(NOW_MS),
  selector: "one",
  publicKey: "first",
  sealedPrivateKey: Buffer.from("first sealed"),
  domainsMax: 10,
};
