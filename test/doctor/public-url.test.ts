/** Whether links that begin with PUBLIC_URL work from other hosts. */
import assert from "node:assert/strict";
import { it } from "node:test";
import { checkPublicUrl } from "../../src/doctor/public-url.ts";
import { doctorInput } from "./doctor-input.ts";

it("warns while links work on this server alone, and names the setting", async () => {
  for (const env of [{}, { PORT: "9000" }, { PUBLIC_URL: "https://127.0.0.1" }, { PUBLIC_URL: "http://[::1]:8080" }]) {
    const { check, state, detail } = await checkPublicUrl(doctorInput({}, env));
    assert.deepEqual([check, state], ["public_url", "warning"], detail);
    assert.match(detail, /^PUBLIC_URL is \S+, so links to Postrider work only on this server.*Set PUBLIC_URL to/);
  }
  const { state, detail } = await checkPublicUrl(doctorInput({}, { PUBLIC_URL: "https://mail.shop.example" }));
  assert.deepEqual([state, detail], ["ok", "Links begin with https://mail.shop.example."]);
});
