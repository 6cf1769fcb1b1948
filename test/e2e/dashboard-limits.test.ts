/** The limits of an account in the dashboard's forms. */
import assert from "node:assert/strict";
import { it } from "node:test";
import { installWithOperator, OPERATOR } from "../support/dashboard/installation.ts";
import { clientOf } from "../support/dashboard/sign-in.ts";

it("a form that exceeds the limit of domains, keys or users is rejected with the reason, and creates nothing", async (t) => {
  const installation = await installWithOperator(t, { env: { DOMAINS_MAX: "1", KEYS_MAX: "2", USERS_MAX: "2" } });
  const { registry, people } = installation.service;
  const client = await clientOf(installation.url);
  const post = async (path: string, fields: Record<string, string>, refusal?: RegExp): Promise<void> => {
    const answer = await client.post(path, fields);
    assert.equal(answer.status, refusal === undefined ? 302 : 400);
    if (refusal !== undefined) assert.match(await answer.text(), refusal);
  };

  await post("/domains", { name: "one.example" });
  const domains = /This account has reached its limit of 1 domain \(DOMAINS_MAX\)\. Remove one first\./;
  await post("/domains", { name: "two.example" }, domains);
  await post("/domains", { name: "one.example" }, /already been added/);
  await post("/domains/one.example/remove", {});
  await post("/domains", { name: "two.example" });

  await post("/keys", { name: "first" });
  await post("/keys", { name: "second" });
  const keys = /value="third".*This account has reached its limit of 2 active keys \(KEYS_MAX\)\. Revoke one first\./s;
  await post("/keys", { name: "third" }, keys);
  assert.equal((await registry.keys("acc_default")).length, 2);
  await post(`/keys/${(await registry.keys("acc_default"))[0]?.id}/revoke`, {});
  await post("/keys", { name: "third" });
  await post("/keys", { name: "x".repeat(101) }, /at most 100 characters/);

  const users = "/operator/accounts/acc_default/users";
  const { password } = OPERATOR;
  await post(users, { email: "ann@shop.example", password, current: password });
  const limit = /This account has reached its limit of 2 users \(USERS_MAX\)\. Remove one first\./;
  await post(users, { email: "ben@shop.example", password, current: password }, limit);
  assert.equal((await people.users("acc_default")).length, 2);
});
