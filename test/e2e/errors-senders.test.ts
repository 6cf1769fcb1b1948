/** Rejected credentials and senders: invalid or revoked keys, and senders that the account may not use. */
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { bindDomain } from "../../src/app/domains/bind-domain.ts";
import { newApiKey } from "../../src/security/api-key-format.ts";
import { openVault } from "../../src/security/vault.ts";
import { openSqliteSpool } from "../../src/spool/engine/sqlite/sqlite-spool.ts";
import { SENDER_DOMAIN, sendBody, type World } from "../support/world.ts";
import { problemOf } from "./problem.ts";
import { assertNothingSent, defaultAccount, json, otherAccountsKey, SEND, startRefusingWorld } from "./refusals.ts";

test("errors: authentication and sender", { timeout: 60_000 }, async (t) => {
  const world = await startRefusingWorld(t);
  await t.test("401 invalid_api_key", (t) => invalidApiKey(t, world));
  await t.test("403", (t) => senderRefused(t, world));
  await t.test("no message was sent", () => assertNothingSent(world));
});

async function invalidApiKey(t: TestContext, world: World): Promise<void> {
  const url = world.service.url;
  const check = async (authorization: string | null): Promise<void> => {
    const headers = { "Content-Type": "application/json", ...(authorization === null ? {} : { authorization }) };
    const answers = [
      await fetch(url + SEND, { method: "POST", headers, body: json }),
      await fetch(url + SEND, { method: "POST", headers, body: "{" }),
      await fetch(`${url}/api/sending/messages/msg_x`, { headers }),
    ];
    for (const answer of answers) {
      assert.match(answer.headers.get("www-authenticate") ?? "", /^Bearer\b/);
      assert.equal(answer.headers.get("ratelimit"), null);
      assert.equal(answer.headers.get("ratelimit-policy"), null);
      await problemOf(answer, 401, "invalid_api_key");
    }
  };
  const { key } = newApiKey();
  const basic = `Basic ${Buffer.from(`${world.key}:`).toString("base64")}`;
  const wrong: Record<string, string | null> = {
    missing: null,
    empty: "",
    "the scheme alone": "Bearer",
    "the key alone": world.key,
    "another scheme": basic,
    "two keys": `Bearer ${world.key} ${world.key}`,
    "another prefix": `Bearer ${world.key.replace("live", "test")}`,
    "a truncated key": `Bearer ${world.key.slice(0, -1)}`,
    "a key with extra characters": `Bearer ${world.key}x`,
    "a key in another case": `Bearer ${world.key.toLowerCase()}`,
    unknown: `Bearer ${key}`,
  };
  for (const [name, authorization] of Object.entries(wrong)) await t.test(name, () => check(authorization));

  await t.test("revoked", async () => {
    const { key, id } = await world.newKey();
    assert.equal((await world.lookUp("msg_x", "", key)).status, 404);
    await world.service.registry.revokeKey(await defaultAccount(world), id, Date.now());
    await check(`Bearer ${key}`);
  });

  await t.test("rejects a key revoked by another process from the next request on", async (t) => {
    const { key, id } = await world.newKey();
    assert.equal((await world.lookUp("msg_x", "", key)).status, 404);
    const dataDir = world.env.DATA_DIR ?? "";
    const beside = await openSqliteSpool({ dataDir, role: "client", onFatal: (error) => assert.fail(error) });
    t.after(() => beside.close());
    assert.equal(await beside.revokeKey(await defaultAccount(world), id, Date.now()), "revoked");
    await check(`Bearer ${key}`);
  });
}

async function senderRefused(t: TestContext, world: World): Promise<void> {
  const accountId = await defaultAccount(world);
  const vault = openVault(world.env.CERTS_DIR ?? "");
  await bindDomain(world.service.registry, vault, {
    accountId,
    name: "waiting.example",
    nowMs: Date.now(),
    domainsMax: 10,
  });

  await t.test("domain_not_verified: the domain is bound but not verified", async () => {
    for (const from of ["a@waiting.example", "a@below.waiting.example"]) {
      await problemOf(await world.post(sendBody({ from })), 403, "domain_not_verified");
    }
  });

  await t.test("sender_not_allowed: no bound domain covers the address", async () => {
    const others = ["elsewhere.example", `not${SENDER_DOMAIN}`, `${SENDER_DOMAIN}.elsewhere.example`, "example.com"];
    for (const domain of others) {
      const from = `${SENDER_DOMAIN} <hello@${domain}>`;
      await problemOf(await world.post(sendBody({ from })), 403, "sender_not_allowed");
    }
  });

  await t.test("sender_not_allowed: another account's domain", async () => {
    const { key } = await otherAccountsKey(world);
    const answer = await world.post(sendBody(), { Authorization: `Bearer ${key}` });
    await problemOf(answer, 403, "sender_not_allowed");
  });
}
