/** Sending addresses and pools in the management interface: what is stored, what is rejected and by which field. */
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { readSendingPlan } from "../../src/spool/port/sending-addresses.ts";
import { manageClient } from "../support/manage-client.ts";
import { startWorld } from "../support/world.ts";
import { problemOf } from "./problem.ts";

const NAME = "mail1.example.com";
const NO_LIMIT = { RATE_PER_SECOND: "0" };

async function begin(t: TestContext) {
  const world = await startWorld(t, NO_LIMIT);
  const { ask } = await manageClient(world);
  const faultOf = async (method: string, path: string, body: unknown): Promise<[string, string]> => {
    const { errors = [] } = await problemOf(await ask(method, path, body), 400, "invalid_request");
    assert.equal(errors.length, 1, JSON.stringify(errors));
    return [errors[0]?.field ?? "", errors[0]?.detail ?? ""];
  };
  return { ask, faultOf, plan: () => readSendingPlan(world.service.spool) };
}

test("an address is added in its canonical form, warmed up at a receiver, paused and resumed", async (t) => {
  const { ask, plan } = await begin(t);
  const added = await ask("POST", "/addresses", { address: "2001:DB8:0::1", name: "MAIL1.example.com", warm_up: true });
  assert.equal(added.status, 201);
  const shown = (await added.json()) as { address: string; schedule: number[] };
  assert.equal(shown.address, "2001:db8::1");
  assert.ok(shown.schedule.length > 1);
  const path = `/addresses/${encodeURIComponent("2001:db8::1")}`;
  assert.equal((await ask("PUT", `${path}/warm-up`, { schedule: [5, 10], day: 2 })).status, 200);
  const { changedAtMs: _, ...warmUp } = (await plan()).addresses[0]?.warmUp ?? {};
  assert.deepEqual(warmUp, { schedule: [5, 10], firstPlace: 1 });
  assert.equal((await ask("PUT", `${path}/warm-up`, { schedule: "default", day: "end" })).status, 200);
  assert.equal((await ask("PUT", `${path}/warm-up`, { off: true })).status, 200);
  assert.equal((await plan()).addresses[0]?.warmUp, null);
  const paused = (await (await ask("PATCH", path, { paused: true })).json()) as { state: string };
  assert.equal(paused.state, "paused");
  assert.equal((await ask("PATCH", path, { paused: false })).status, 200);
  assert.deepEqual((await plan()).addresses, [
    { ip: "2001:db8::1", name: NAME, bind: null, pool: "default", isPaused: false, warmUp: null },
  ]);
  assert.equal((await ask("DELETE", path)).status, 204);
  assert.deepEqual((await plan()).addresses, []);
});

test("a fault names its field in a sentence without options or commands", async (t) => {
  const { ask, faultOf, plan } = await begin(t);
  const host = "It must be a host name, such as mail1.example.com.";
  const address = "192.0.2.10";
  const isSentence = /^[A-Z].*\.$/;
  for (const [method, path, body, field, detail] of [
    ["POST", "/addresses", { address: "192.0.2", name: NAME }, "address", "It must be an IP address."],
    ["POST", "/addresses", { address, name: "localhost" }, "name", host],
    ["POST", "/addresses", { address, name: NAME, bind: "fd00::1" }, "bind", null],
    ["POST", "/addresses", { address, name: NAME, pool: "news" }, "pool", "No pool is named news."],
    ["POST", "/pools", { name: "No Pool" }, "name", null],
    ["PUT", "/pools/default/assignments", { domain: "a b" }, "domain", "It must be a domain, such as example.com."],
    ["PUT", "/pools/default/assignments", {}, "account", null],
    ["PUT", "/pools/default/assignments", { account: "default", domain: "a.example" }, "account", null],
    ["PUT", "/pools/default/assignments", { domain: "a.example", tag: "a" }, "tag", null],
    ["PUT", "/pools/default/assignments", { account: "nobody" }, "account", "No account has this name or id."],
    ["PUT", "/pools/default/assignments", { account: "default", tag: "" }, "tag", null],
  ] as const) {
    const [named, text] = await faultOf(method, path, body);
    assert.equal(named, field, text);
    if (detail !== null) assert.equal(text, detail);
    assert.match(text, isSentence);
    assert.doesNotMatch(text, /--|pools create|list shows/);
  }
  assert.deepEqual(await plan(), { addresses: [], pools: [] });
  await ask("POST", "/addresses", { address, name: NAME });
  for (const [body, field] of [
    [{ day: 0 }, "day"],
    [{ day: 30 }, "day"],
    [{ day: "last" }, "day"],
    [{ receiver: "gmail" }, "day"],
    [{ receiver: "gmial", day: 1 }, "receiver"],
    [{ schedule: [10, 5] }, "schedule"],
    [{ schedule: [] }, "schedule"],
    [{ schedule: "5,10" }, "schedule"],
    [{ off: true, day: 2 }, "off"],
  ] as const) {
    const [named, text] = await faultOf("PUT", `/addresses/${address}/warm-up`, body);
    assert.equal(named, field, text);
    assert.doesNotMatch(text, /--|list shows/);
  }
  assert.equal((await plan()).addresses[0]?.warmUp, null);
});

test("what does not exist, exists already or is in use is not changed", async (t) => {
  const { ask } = await begin(t);
  for (const [method, path, body] of [
    ["GET", "/addresses/192.0.2.9"],
    ["GET", "/addresses/nothing"],
    ["PATCH", "/addresses/192.0.2.9", { paused: true }],
    ["PUT", "/addresses/192.0.2.9/warm-up", {}],
    ["DELETE", "/addresses/192.0.2.9"],
    ["GET", "/pools/news"],
    ["DELETE", "/pools/news"],
    ["PUT", "/pools/news/assignments", { account: "default" }],
  ] as const)
    await problemOf(await ask(method, path, body), 404, "not_found");
  await ask("POST", "/pools", { name: "news" });
  await ask("POST", "/addresses", { address: "192.0.2.10", name: NAME, pool: "news" });
  await problemOf(await ask("POST", "/pools", { name: "news" }), 409, "already_exists");
  await problemOf(await ask("POST", "/pools", { name: "default" }), 409, "already_exists");
  await problemOf(await ask("POST", "/addresses", { address: "192.0.2.10", name: NAME }), 409, "already_exists");
  const { detail } = await problemOf(await ask("DELETE", "/pools/news"), 409, "not_possible");
  assert.match(detail, /192\.0\.2\.10/);
  await problemOf(await ask("DELETE", "/pools/default"), 409, "not_possible");
});

test("mail of an account, of its tag or of a domain is assigned to one pool at a time", async (t) => {
  const { ask, plan } = await begin(t);
  for (const name of ["news", "bulk"]) await ask("POST", "/pools", { name });
  const assign = async (pool: string, body: unknown): Promise<unknown> =>
    (await ask("PUT", `/pools/${pool}/assignments`, body)).json();
  await assign("news", { account: "default" });
  await assign("news", { account: "acc_default", tag: "weekly" });
  assert.deepEqual(await assign("news", { domain: "News.example" }), {
    name: "news",
    addresses: [],
    accounts: ["default"],
    domains: ["news.example"],
    tags: [{ account: "default", tag: "weekly" }],
  });
  await assign("bulk", { account: "default" });
  await assign("default", { domain: "news.example" });
  assert.deepEqual((await plan()).pools, [
    { accounts: ["acc_default"], domains: [], tags: [], name: "bulk" },
    { accounts: [], domains: [], tags: [{ account: "acc_default", tag: "weekly" }], name: "news" },
  ]);
});

test("an address or a pool that was changed since the entity tag stays as it is", async (t) => {
  const { ask, plan } = await begin(t);
  await ask("POST", "/addresses", { address: "192.0.2.10", name: NAME });
  await ask("POST", "/pools", { name: "news" });
  for (const [path, change] of [
    ["/addresses/192.0.2.10", () => ask("PATCH", "/addresses/192.0.2.10", { paused: true })],
    ["/pools/news", () => ask("PUT", "/pools/news/assignments", { account: "default" })],
  ] as const) {
    const tag = (await ask("GET", path)).headers.get("etag") ?? assert.fail();
    const changed = await change();
    const late = await ask("DELETE", path, undefined, { "If-Match": tag });
    await problemOf(late, 412, "precondition_failed");
    const present = changed.headers.get("etag") ?? assert.fail();
    assert.notEqual(present, tag);
    assert.equal((await ask("DELETE", path, undefined, { "If-Match": present })).status, 204);
  }
  assert.deepEqual(await plan(), { addresses: [], pools: [] });
});
