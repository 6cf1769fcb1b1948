/** Sign-in over plain HTTP where HTTPS is required. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { installWithOperator, OPERATOR } from "../../support/dashboard/installation.ts";
import { cookieOf, postForm } from "../../support/dashboard/sign-in.ts";

describe("a sign-in over plain HTTP", () => {
  it("is rejected with a link to the HTTPS address, except through a tunnel", async (t) => {
    const env = { PUBLIC_URL: "https://mail.shop.example" };
    const { url } = await installWithOperator(t, { env });
    const signIn = (headers: Record<string, string>) => postForm(`${url}/dashboard/sign-in`, OPERATOR, headers);
    const plain = await signIn({ Origin: "http://mail.shop.example" });
    assert.equal(plain.status, 403);
    assert.equal(cookieOf(plain), "");
    assert.match(await plain.text(), /plain HTTP.*Open https:\/\/mail\.shop\.example\/dashboard/s);
    assert.equal((await signIn({ Origin: "https://mail.shop.example" })).status, 302);
    assert.equal((await signIn({ Origin: url })).status, 302, "a tunnel to the host");
  });
});
