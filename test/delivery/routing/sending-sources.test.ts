/** Which sending addresses a message may leave from. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { SendingSources } from "../../../src/delivery/routing/sending-sources.ts";
import type { SendingAddress, SendingPlan, SendingPool } from "../../../src/spool/port/sending-addresses.ts";

const address = (ip: string, more: Partial<SendingAddress> = {}): SendingAddress => ({
  ip,
  name: "mail.host.example",
  bind: null,
  pool: "default",
  isPaused: false,
  warmUp: null,
  ...more,
});
const pool = (name: string, more: Partial<SendingPool> = {}): SendingPool => ({
  name,
  accounts: [],
  domains: [],
  tags: [],
  ...more,
});

function sourcesOf(plan: Partial<SendingPlan>, live: string[] = []) {
  const sources = new SendingSources({
    live: () => live,
    ownAddresses: () => ["192.0.2.1", "10.0.0.2", "2001:db8::1"],
  });
  sources.set({ addresses: [], pools: [], ...plan });
  return sources;
}

const job = (from: string, accountId = "acc_1") => ({ from, accountId });

test("without addresses and pools the system chooses, for every destination", () => {
  const sources = sourcesOf({});
  assert.equal(sources.destinationFor(job("a@b.example"), "*.gmail"), "*.gmail");
  assert.equal(sources.windowsOf("*.gmail"), null);
});

test("the mail of a pool without an address waits, also where there is no address at all", () => {
  const sources = sourcesOf({ pools: [pool("news", { accounts: ["acc_1"] })] });
  assert.equal(sources.destinationFor(job("a@b.example"), "*.gmail"), "*.gmail@news");
  assert.deepEqual([sources.windowsOf("*.gmail@news"), sources.windowsElsewhere("*.gmail@news")], [[], []]);
  assert.equal(sources.destinationFor(job("a@b.example", "acc_2"), "*.gmail"), "*.gmail");
  assert.equal(sources.windowsOf("*.gmail"), null);
});

test("the window of an address that was removed or paused is not in use", () => {
  const sources = sourcesOf({ addresses: [address("192.0.2.1"), address("127.0.0.9", { isPaused: true })] });
  const windows = ["*.gmail", "*.gmail@192.0.2.1", "*.gmail@127.0.0.9", "*.gmail@192.0.2.8"];
  assert.deepEqual(windows.map(sources.isInUse), [true, true, false, false]);
});

test("addresses of this server count, paused ones and those of others do not", () => {
  const sources = sourcesOf({
    addresses: [
      address("192.0.2.1"),
      address("203.0.113.2", { bind: "10.0.0.2" }),
      address("203.0.113.9"),
      address("127.0.0.9", { isPaused: true }),
    ],
  });
  assert.deepEqual([...(sources.windowsOf("*.gmail") ?? [])].sort(), ["*.gmail@192.0.2.1", "*.gmail@203.0.113.2"]);
  assert.equal(sources.addressOf("*.gmail@203.0.113.2")?.bind, "10.0.0.2");
  assert.equal(sources.addressOf("*.gmail"), null);
  assert.equal(sources.addressOf(undefined), null);
  const own = sources.own.map(({ ip }) => ip);
  assert.deepEqual(own, ["192.0.2.1", "203.0.113.2", "127.0.0.9"]);
});

test("a receiver has its order of addresses, IPv6 last; others may have another", () => {
  const ips = Array.from({ length: 6 }, (_, i) => `127.0.0.${i + 1}`);
  const sources = sourcesOf({ addresses: ["2001:db8::1", ...ips].map((ip) => address(ip)) });
  const orders = ["gmail", "outlook", "a.example", "b.example"].map((name) => sources.windowsOf(`*.${name}`) ?? []);
  for (const order of orders) assert.match(order.at(-1) ?? "", /@2001:db8::1$/);
  assert.ok(new Set(orders.map(([first = ""]) => first.split("@")[1])).size > 1);
  assert.deepEqual(sources.windowsOf("*.gmail"), orders[0]);
});

test("addresses that are warmed up come before the others of their family", () => {
  const warmUp = { schedule: null, firstPlace: 0 };
  const warm = ["127.0.0.1", "127.0.0.2", "127.0.0.3"].map((ip) => address(ip));
  const sources = sourcesOf({
    addresses: [...warm, address("127.0.0.9", { warmUp }), address("2001:db8::1", { warmUp })],
  });
  for (const name of ["gmail", "outlook", "a.example", "b.example"]) {
    const order = (sources.windowsOf(`*.${name}`) ?? []).map((window) => window.split("@")[1]);
    assert.deepEqual([order[0], order.at(-1)], ["127.0.0.9", "2001:db8::1"]);
  }
});

test("the pool is that of the sender domain or one above it, else of the account, else the default one", () => {
  const sources = sourcesOf({
    addresses: [address("192.0.2.1", { pool: "news" })],
    pools: [pool("news", { domains: ["shop.example"] }), pool("bulk", { accounts: ["acc_2"] })],
  });
  const of = (from: string, accountId = "acc_1") => sources.destinationFor(job(from, accountId), "*.gmail");
  assert.equal(of("a@shop.example", "acc_2"), "*.gmail@news");
  assert.equal(of("a@mail.SHOP.example"), "*.gmail@news");
  assert.equal(of("a@notshop.example"), "*.gmail");
  assert.equal(of("a@other.example", "acc_2"), "*.gmail@bulk");
  assert.equal(sources.destinationFor(job("a@shop.example"), "sink.example:2525"), "sink.example:2525");
  assert.equal(sources.windowsOf("*.gmail"), null, "the default pool has no address");
});

test("a tag of the account comes before the domain and the account, and is no tag of another account", () => {
  const tags = [{ account: "acc_1", tag: "newsletter" }];
  const pools = [
    pool("bulk", { tags }),
    pool("news", { domains: ["shop.example"] }),
    pool("own", { accounts: ["acc_1"] }),
  ];
  const sources = sourcesOf({ addresses: [address("192.0.2.1")], pools });
  const of = (tagged: string[], accountId = "acc_1", from = "a@shop.example") =>
    sources.destinationFor({ ...job(from, accountId), tags: tagged }, "*.gmail");
  assert.equal(of(["reset", "newsletter"]), "*.gmail@bulk");
  assert.equal(of(["reset"]), "*.gmail@news");
  assert.equal(of(["newsletter"], "acc_2"), "*.gmail@news");
  assert.equal(of([], "acc_1", "a@other.example"), "*.gmail@own");
});

test("the addresses of a pool on other live nodes are known; a paused one is none", () => {
  const addresses = [
    address("203.0.113.9", { pool: "news" }),
    address("203.0.113.8", { pool: "bulk", isPaused: true }),
  ];
  const sources = sourcesOf({ addresses }, ["203.0.113.9", "203.0.113.8"]);
  assert.deepEqual(sources.windowsOf("*.gmail@news"), []);
  assert.deepEqual(sources.windowsElsewhere("*.gmail@news"), ["*.gmail@203.0.113.9"]);
  assert.deepEqual(sources.windowsElsewhere("*.gmail@bulk"), []);
  assert.deepEqual(sourcesOf({ addresses }).windowsElsewhere("*.gmail@news"), []);
});

test("queues are mixed where a pool has sender domains, for receivers alone", () => {
  const addresses = [address("192.0.2.1")];
  const byDomain = sourcesOf({ addresses, pools: [pool("news", { domains: ["shop.example"] })] });
  assert.equal(byDomain.hasMixedQueues("*.gmail"), true);
  assert.equal(byDomain.hasMixedQueues("sink.example:2525"), false);
  const byAccount = sourcesOf({ addresses, pools: [pool("news", { accounts: ["acc_1"] })] });
  assert.equal(byAccount.hasMixedQueues("*.gmail"), false);
});
