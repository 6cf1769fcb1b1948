/** From which domain messages with a link are sent, and that their content is shown to no user. */
import assert from "node:assert/strict";
import { it } from "node:test";
import {
  INVITATION_KEY,
  linkSender,
  PASSWORD_RESET_KEY,
  withoutSecretContents,
} from "../../../src/app/send/link-message.ts";
import type { Account } from "../../../src/spool/port/accounts.ts";
import type { Domain } from "../../../src/spool/port/domains.ts";
import type { Reports } from "../../../src/spool/port/reports.ts";
import type { MessageReport } from "../../../src/spool/port/results.ts";

const account = (name: string, deletedAtMs: number | null = null): Account => ({
  id: `acc_${name}`,
  name,
  createdAtMs: 1,
  quotaDaily: null,
  deletedAtMs,
  isEmptied: false,
});

function registryOf(accounts: Account[], verified: string[]) {
  return {
    accounts: async () => accounts,
    domains: async (accountId: string) =>
      ["new", "old"].map((label) => {
        const name = `${label}.${accountId.slice(4)}.example`;
        return { name, accountId, verified: verified.includes(name) } as Domain;
      }),
  };
}

it("are sent from a verified domain of the account, else of the default account, else not at all", async () => {
  const accounts = [account("default"), account("shop")];
  const sender = async (verified: string[], all = accounts) =>
    (await linkSender(registryOf(all, verified), "acc_shop"))?.name ?? null;
  assert.equal(await sender(["old.shop.example", "new.default.example"]), "old.shop.example");
  assert.equal(await sender(["new.default.example"]), "new.default.example");
  assert.equal(await sender([]), null);
  const deleted = [account("default"), account("shop", 5)];
  assert.equal(await sender(["old.shop.example", "new.default.example"], deleted), "new.default.example");
  assert.equal(await sender(["old.shop.example"], deleted), null, "a deleted account sends nothing");
});

it("have no content for pages, and other messages have theirs", async () => {
  const content = async () => Buffer.from("content");
  const reports = { contentOf: content, htmlOf: content, find: async () => "found" } as unknown as Reports;
  const spool = { report: async (id: string) => ({ keyId: id }) as MessageReport };
  const shown = withoutSecretContents(reports, spool);
  for (const id of [INVITATION_KEY, PASSWORD_RESET_KEY]) {
    assert.equal(await shown.contentOf("acc_1", id), null);
    assert.equal(await shown.htmlOf("acc_1", id), null);
  }
  assert.equal((await shown.contentOf("acc_1", "key_1"))?.toString(), "content");
  assert.equal(await shown.find({ accountId: "acc_1", limit: 1 }), "found");
});
