/** The addresses that a domain's SPF record has to authorize: those of the pool that its mail leaves from. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createCheckContext } from "../../../src/app/domains/check-context.ts";
import type { Resolver } from "../../../src/dns/resolver.ts";
import { recordsToPublish, returnPathRecords } from "../../../src/domains/records.ts";
import { checkSpf } from "../../../src/domains/spf.ts";
import type { SendingPlan } from "../../../src/spool/port/sending-addresses.ts";

const address = (ip: string, pool: string) => ({
  ip,
  name: "mail.host.example",
  bind: null,
  pool,
  isPaused: false,
  warmUp: null,
});

const PLAN: SendingPlan = {
  addresses: [address("192.0.2.1", "default"), address("192.0.2.2", "news"), address("192.0.2.3", "bulk")],
  pools: [
    { name: "bulk", accounts: ["acc_bulk"], domains: [], tags: [{ account: "acc_tagged", tag: "bulk" }] },
    { name: "empty", accounts: ["acc_empty"], domains: [], tags: [] },
    { name: "news", accounts: [], domains: ["news.example"], tags: [] },
  ],
};

function contextWith(plan: SendingPlan, published = "v=spf1 ip4:192.0.2.2 ~all") {
  const resolver = { txt: async () => ({ type: "found", records: [published], authenticated: false }) };
  const settings = { hostname: "mta.host.example", smtpAllowPrivate: false };
  const all = ["198.51.100.1", "192.0.2.1", "192.0.2.2", "192.0.2.3"];
  return createCheckContext(settings, resolver as unknown as Resolver, { sendingIps: () => all, plan: () => plan });
}

const domain = (name: string, accountId = "acc_1") => ({ name, accountId, token: "t", selector: "s", publicKey: "k" });

const spfOf = (plan: SendingPlan, of: ReturnType<typeof domain>) =>
  recordsToPublish(of, contextWith(plan)).find(({ check }) => check === "spf")?.value;

test("the record lists the addresses of the domain's pool, of its account's, or of the default one", () => {
  assert.equal(spfOf(PLAN, domain("news.example")), "v=spf1 ip4:192.0.2.2 ~all");
  assert.equal(spfOf(PLAN, domain("a.news.example", "acc_bulk")), "v=spf1 ip4:192.0.2.2 ~all");
  assert.equal(spfOf(PLAN, domain("shop.example", "acc_bulk")), "v=spf1 ip4:192.0.2.3 ~all");
  assert.equal(spfOf(PLAN, domain("shop.example")), "v=spf1 ip4:192.0.2.1 ~all");
  assert.equal(spfOf(PLAN, domain("news.example", "acc_tagged")), "v=spf1 ip4:192.0.2.2 ip4:192.0.2.3 ~all");
  const [, returnPath] = returnPathRecords(domain("news.example"), contextWith(PLAN));
  assert.equal(returnPath?.value, "v=spf1 ip4:192.0.2.2 -all");
});

test("without addresses in the pool it lists all that this server sends from", () => {
  const all = "v=spf1 ip4:198.51.100.1 ip4:192.0.2.1 ip4:192.0.2.2 ip4:192.0.2.3 ~all";
  assert.equal(spfOf(PLAN, domain("shop.example", "acc_empty")), all);
  assert.equal(spfOf({ addresses: [], pools: [] }, domain("shop.example")), all);
});

test("a published record with the pool's addresses alone passes", async () => {
  assert.equal((await checkSpf(domain("news.example"), contextWith(PLAN))).state, "verified");
  const { state, detail } = await checkSpf(domain("shop.example"), contextWith(PLAN));
  assert.equal(state, "failed");
  assert.match(detail ?? "", /192\.0\.2\.1/);
});
