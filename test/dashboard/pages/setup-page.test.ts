/** The first user: the setup link, and the environment. */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { install, OPERATOR } from "../../support/dashboard/installation.ts";
import { clientOf, postForm } from "../../support/dashboard/sign-in.ts";
import { tempDir } from "../../support/temp-dir.ts";

describe("the first user", () => {
  it("is created by the link in the log, once", async (t) => {
    const { url, setupUrl, logged } = await install(t);
    assert.match(setupUrl, new RegExp(`^${url}/dashboard/setup/[\\w-]{32}$`));
    assert.equal((await fetch(`${url}/dashboard/setup/${"x".repeat(32)}`)).status, 404);
    const weak = await postForm(setupUrl, { email: OPERATOR.email, password: "short" });
    assert.equal(weak.status, 400);
    const both = await Promise.all([
      postForm(setupUrl, OPERATOR),
      postForm(setupUrl, { ...OPERATOR, email: "eve@e.example" }),
    ]);
    assert.deepEqual(both.map(({ status }) => status).sort(), [302, 404]);
    assert.equal((await fetch(setupUrl)).status, 404);
    const token = setupUrl.split("/").at(-1) ?? "";
    assert.equal(logged.join("").split(token).length, 2, "the link is logged once");
  });

  it("is created from the environment, and then there is no link", async (t) => {
    const env = { ADMIN_EMAIL: OPERATOR.email, ADMIN_PASSWORD: OPERATOR.password };
    const { url, setupUrl } = await install(t, { env });
    assert.equal(setupUrl, "");
    await clientOf(url);
  });

  it("is created from the environment with the password in a file", async (t) => {
    const file = join(tempDir(t), "password");
    writeFileSync(file, `${OPERATOR.password}\n`);
    const { url, setupUrl } = await install(t, { env: { ADMIN_EMAIL: OPERATOR.email, ADMIN_PASSWORD_FILE: file } });
    assert.equal(setupUrl, "");
    await clientOf(url);
  });
});
