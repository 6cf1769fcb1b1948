/** Which forms are rejected: without a token, from other sites, for another account. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { bindDomain } from "../../../src/app/domains/bind-domain.ts";
import { openVault } from "../../../src/security/vault.ts";
import { installWithOperator } from "../../support/dashboard/installation.ts";
import { clientOf, clientWith, postForm } from "../../support/dashboard/sign-in.ts";

describe("forms", () => {
  it("are rejected without their session's token, and from other sites", async (t) => {
    const { url, service } = await installWithOperator(t);
    const [client, other] = [await clientOf(url), await clientOf(url)];
    const add = (fields: Record<string, string>, headers: Record<string, string> = {}) =>
      postForm(`${url}/dashboard/domains`, { name: "shop.example", ...fields }, { Cookie: client.cookie, ...headers });
    const good = { form_token: client.formToken };
    assert.equal((await add({})).status, 403);
    assert.equal((await add({ form_token: "x.acc_default.usr_other" })).status, 403);
    // Of another session of the same user: the form is filled in again instead.
    const again = await add({ form_token: other.formToken });
    assert.match(again.headers.get("location") ?? "", /^\/dashboard\/domains\?kept=/);
    assert.equal((await add(good, { "Sec-Fetch-Site": "cross-site" })).status, 403);
    assert.equal((await add(good, { "Sec-Fetch-Site": "same-site" })).status, 403);
    assert.equal((await add(good, { Origin: "https://evil.example" })).status, 403);
    assert.equal((await add(good, { Origin: "null" })).status, 403);
    assert.deepEqual(await service.registry.domains("acc_default"), []);
    assert.equal((await add(good, { Origin: url, "Sec-Fetch-Site": "same-origin" })).status, 302);
    assert.equal((await service.registry.domains("acc_default")).length, 1);
  });

  it("act on the account that they were rendered for, or on none", async (t) => {
    const { url, service, certsDir } = await installWithOperator(t);
    const { registry } = service;
    const rival = await registry.createAccount("rival", 1);
    assert.ok(rival !== "exists");
    for (const accountId of ["acc_default", rival.id]) {
      await bindDomain(registry, openVault(certsDir), {
        accountId,
        name: "both.example",
        nowMs: Date.now(),
        domainsMax: 10,
      });
    }
    const bound = async () => [
      (await registry.domains("acc_default")).length,
      (await registry.domains(rival.id)).length,
    ];
    const tab1 = await clientOf(url);
    assert.equal((await tab1.get("/domains/both.example/remove")).status, 200);
    const tab2 = await clientWith(url, tab1.cookie);
    assert.equal((await tab2.post("/operator/look", { account: rival.id })).status, 302);
    const refused = await tab1.post("/domains/both.example/remove", { name: "both.example" });
    assert.equal(refused.status, 403);
    assert.match(await refused.text(), /made for another account/);
    assert.deepEqual(await bound(), [1, 1]);
    const [proof = ""] = tab1.formToken.split(".");
    assert.equal((await tab1.post("/domains/both.example/remove", { form_token: proof })).status, 403);

    const reloaded = await clientWith(url, tab1.cookie);
    assert.equal((await reloaded.post("/domains/both.example/remove", { name: "both.example" })).status, 302);
    assert.deepEqual(await bound(), [1, 0]);
    assert.equal((await tab1.post("/sign-out")).status, 302, "signing out does not depend on the account");
    assert.equal((await reloaded.get("/you")).status, 302);
  });
});
