import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { checkCertificate } from "../../src/doctor/certificate.ts";
import { selfSigned } from "../support/self-signed.ts";
import { tempDir } from "../support/temp-dir.ts";
import { doctorInput, NOW_MS } from "./doctor-input.ts";

const DAY_MS = 86_400_000;

describe("the certificate", () => {
  it("is reported before and after its expiry, and when it is for another host", async (t) => {
    const dir = tempDir(t);
    const state = async (untilMs: number, env: Record<string, string> = {}, fromMs = NOW_MS - DAY_MS) => {
      const { key, cert } = selfSigned("mail.shop.example", { fromMs, untilMs });
      writeFileSync(join(dir, "http.crt"), cert);
      writeFileSync(join(dir, "http.key"), key);
      return check({ PUBLIC_URL: "https://mail.shop.example", ...env });
    };
    const check = (env: Record<string, string>) => checkCertificate(doctorInput({}, { CERTS_DIR: dir, ...env }));

    assert.equal((await state(NOW_MS + 60 * DAY_MS)).state, "ok");
    const soon = await state(NOW_MS + 20.5 * DAY_MS);
    assert.deepEqual([soon.state, /in 20 days/.test(soon.detail)], ["warning", true]);
    assert.match((await state(NOW_MS - 1000)).detail, /^The certificate expired on 2026-03-01/);
    assert.match((await state(NOW_MS + 60 * DAY_MS, {}, NOW_MS + DAY_MS)).detail, /valid only from 2026-03-02/);
    const other = await state(NOW_MS + 60 * DAY_MS, { PUBLIC_URL: "https://mail.other.example:8443" });
    assert.deepEqual([other.state, /not for mail\.other\.example/.test(other.detail)], ["warning", true]);
    writeFileSync(join(dir, "http.key"), selfSigned("mail.shop.example").key);
    assert.match((await check({})).detail, /http\.key does not match http\.crt/);
    writeFileSync(join(dir, "http.crt"), "not a certificate");
    assert.equal((await check({})).state, "problem");
  });

  it("is missing: a warning where other hosts can use plain HTTP, with advice in every case", async (t) => {
    const dir = tempDir(t);
    const cases: [env: Record<string, string>, state: string, sentence: RegExp][] = [
      [{ PUBLIC_URL: "http://localhost:8080" }, "warning", /HOST=0\.0\.0\.0 accepts plain HTTP from other hosts/],
      [{ PUBLIC_URL: "http://localhost:8080", HOST: "::" }, "warning", /HOST=:: accepts plain HTTP from other hosts/],
      [{ PUBLIC_URL: "http://localhost:8080", HOST: "127.0.0.1" }, "ok", /connections from this server only/],
      [{ PUBLIC_URL: "http://[::1]:8080", HOST: "::1" }, "ok", /none is needed yet: HOST=::1/],
      [{ PUBLIC_URL: "http://mail.shop.example" }, "warning", /plain HTTP: keys and passwords can be intercepted/],
      [{ PUBLIC_URL: "http://mail.shop.example", HOST: "127.0.0.1" }, "warning", /keys and passwords/],
      [{ PUBLIC_URL: "https://mail.shop.example" }, "unclear", /only behind a reverse proxy with HTTPS/],
      [{ PUBLIC_URL: "https://mail.shop.example", TRUST_PROXY: "1" }, "ok", /the reverse proxy presents the one/],
      [{ PUBLIC_URL: "https://mail.shop.example", HOST: "127.0.0.1" }, "ok", /the reverse proxy presents the one/],
    ];
    for (const [env, state, sentence] of cases) {
      const finding = await checkCertificate(doctorInput({}, { CERTS_DIR: dir, ...env }));
      assert.equal(finding.state, state, JSON.stringify(env));
      assert.match(finding.detail, sentence);
      assert.match(finding.detail, /^There is no certificate/);
    }
  });
});
