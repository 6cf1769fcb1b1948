/** Signing in and out, and what is stored and logged of it. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { installWithOperator, OPERATOR } from "../../support/dashboard/installation.ts";
import { clientOf, cookieOf, postForm } from "../../support/dashboard/sign-in.ts";

describe("signing in", () => {
  it("responds the same to a wrong password and to an unknown email address, and limits guesses", async (t) => {
    const { url } = await installWithOperator(t);
    const wrong = (email: string) => postForm(`${url}/dashboard/sign-in`, { email, password: "not this one" });
    const texts = [];
    for (const email of [OPERATOR.email, "nobody@customers.example"]) {
      const answer = await wrong(email);
      assert.equal(answer.status, 401);
      assert.equal(cookieOf(answer), "");
      texts.push((await answer.text()).replaceAll(email, "EMAIL"));
    }
    assert.equal(texts[0], texts[1]);
    for (const email of [OPERATOR.email, "nobody@customers.example"]) {
      const statuses = [];
      for (let i = 0; i < 5; i += 1) statuses.push((await wrong(email)).status);
      assert.deepEqual(statuses, [401, 401, 401, 401, 429]);
    }
    const right = await postForm(`${url}/dashboard/sign-in`, OPERATOR);
    assert.equal(right.status, 429, "nor does the right password reveal anything");
  });

  it("sets a cookie with HttpOnly and SameSite, and Secure over HTTPS", async (t) => {
    for (const [publicUrl, secure] of [
      ["", false],
      ["https://mail.shop.example", true],
    ] as const) {
      const env = publicUrl === "" ? {} : { PUBLIC_URL: publicUrl, PORT: "18471" };
      const { url } = await installWithOperator(t, { env });
      const answer = await postForm(`${url}/dashboard/sign-in`, OPERATOR);
      const [cookie = ""] = answer.headers.getSetCookie();
      assert.match(cookie, /^postrider_session=[\w-]{43}; Path=\/dashboard; Max-Age=\d+; HttpOnly; SameSite=Lax/);
      assert.equal(/; Secure/.test(cookie), secure);
    }
  });

  it("redirects to pages of the dashboard only, and rejects control characters in key names", async (t) => {
    const { url, service } = await installWithOperator(t);
    for (const [next, location] of [
      ["/dashboard/messages?result=failed", "/dashboard/messages?result=failed"],
      ["https://evil.example/", "/dashboard"],
      ["//evil.example/dashboard", "/dashboard"],
      ["/dashboard\\@evil.example", "/dashboard"],
    ] as const) {
      const answer = await postForm(`${url}/dashboard/sign-in`, { ...OPERATOR, next });
      assert.equal(answer.headers.get("location"), location);
    }
    const client = await clientOf(url);
    for (const name of ["a\tb", "a\nb", "red \u001b[31mkey", "a\u2028b", "exe\u202egnp"]) {
      const refused = await client.post("/keys", { name });
      assert.equal(refused.status, 400, JSON.stringify(name));
      assert.match(await refused.text(), /id="field-name-error"[\s\S]*control characters/);
    }
    assert.deepEqual(await service.registry.keys("acc_default"), []);
  });

  it("lasts until sign-out or a change of the password", async (t) => {
    const { url } = await installWithOperator(t);
    const [one, two, three] = [await clientOf(url), await clientOf(url), await clientOf(url)];
    const alive = async (client: typeof one) => (await client.get("/you")).status === 200;
    await one.post("/sign-out");
    assert.deepEqual([await alive(one), await alive(two), await alive(three)], [false, true, true]);
    const wrong = await two.post("/you/password", { current: "not this one", password: "a new long password" });
    assert.equal(wrong.status, 400);
    const changed = await two.post("/you/password", { current: OPERATOR.password, password: "a new long password" });
    assert.equal(changed.status, 302);
    assert.deepEqual([await alive(two), await alive(three)], [true, false]);
    await clientOf(url, { ...OPERATOR, password: "a new long password" });
  });

  it("stores and logs no session token, key or password", async (t) => {
    const installation = await installWithOperator(t);
    const client = await clientOf(installation.url);
    const token = client.cookie.split("=")[1] ?? "";
    const created = await client.post("/keys", { name: "web" });
    const page = await (await client.get((created.headers.get("location") ?? "").replace("/dashboard", ""))).text();
    const [key = ""] = /svc_live_[\w-]{43}/.exec(page) ?? [];
    assert.notEqual(key, "");
    const { readFileSync, readdirSync } = await import("node:fs");
    const stored = readdirSync(installation.dataDir).map((name) =>
      readFileSync(`${installation.dataDir}/${name}`).toString("latin1"),
    );
    for (const secret of [token, key, OPERATOR.password, client.formToken.split(".")[0] ?? ""]) {
      assert.ok(!stored.join("").includes(secret), "stored");
      assert.ok(!installation.logged.join("").includes(secret), "logged");
    }
  });
});
