import assert from "node:assert/strict";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import type { Finding } from "../../src/doctor/finding.ts";
import { checkSubmissionCertificate } from "../../src/doctor/submission-certificate.ts";
import { selfSigned, type Validity } from "../support/self-signed.ts";
import { tempDir } from "../support/temp-dir.ts";
import { doctorInput, findingOf, HOST, NOW_MS, runOn } from "./doctor-input.ts";

const DAY_MS = 86_400_000;
const TWO_MONTHS = { fromMs: NOW_MS - DAY_MS, untilMs: NOW_MS + 60 * DAY_MS };

function put(dir: string, name: "smtp" | "http", validity: Validity & { host?: string } = TWO_MONTHS): void {
  const { key, cert } = selfSigned(validity.host ?? HOST, validity);
  writeFileSync(join(dir, `${name}.crt`), cert);
  writeFileSync(join(dir, `${name}.key`), key);
}

const check = (dir: string, env: Record<string, string> = {}): Promise<Finding> =>
  checkSubmissionCertificate(doctorInput({}, { CERTS_DIR: dir, SUBMISSION_PORT: "587", ...env }));

describe("the certificate of SMTP submission", () => {
  it("is smtp.crt, and else http.crt", async (t) => {
    const dir = tempDir(t);
    put(dir, "http");
    assert.match(
      (await check(dir)).detail,
      /^The certificate of SMTP submission, http\.crt, is valid until 2026-04-30/,
    );
    put(dir, "smtp", { ...TWO_MONTHS, untilMs: NOW_MS + 30 * DAY_MS });
    const own = await check(dir);
    assert.deepEqual([own.state, /smtp\.crt, is valid until 2026-03-31/.test(own.detail)], ["ok", true]);
    rmSync(join(dir, "smtp.key"));
    assert.match((await check(dir)).detail, /http\.crt/);
  });

  it("is reported before and after its expiry, when it does not match its key, and when it is for another host", async (t) => {
    const dir = tempDir(t);
    const state = async (validity: Validity & { host?: string }) => {
      put(dir, "smtp", { ...TWO_MONTHS, ...validity });
      return check(dir);
    };
    const soon = await state({ untilMs: NOW_MS + 20.5 * DAY_MS });
    assert.deepEqual([soon.state, /in 20 days/.test(soon.detail)], ["warning", true]);
    const over = await state({ untilMs: NOW_MS - 1000 });
    assert.deepEqual([over.state, /expired on 2026-03-01.* Renew smtp\.crt/.test(over.detail)], ["problem", true]);
    assert.equal((await state({ fromMs: NOW_MS + DAY_MS })).state, "problem");
    const other = await state({ host: "mail.other.example" });
    assert.equal(other.state, "warning");
    assert.match(other.detail, /^smtp\.crt is not for mta\.shop\.example.* \(DNS:mail\.other\.example\)/);
    writeFileSync(join(dir, "smtp.key"), selfSigned(HOST).key);
    const mixed = await check(dir);
    assert.deepEqual([mixed.state, /smtp\.key does not match smtp\.crt/.test(mixed.detail)], ["problem", true]);
  });

  it("is missing: a problem, unless only clients on this server may submit", async (t) => {
    const dir = tempDir(t);
    const cases: [env: Record<string, string>, state: string, sentence: RegExp][] = [
      [{}, "problem", /SUBMISSION_PORT needs one: messages are not accepted by SMTP\. Put smtp\.crt/],
      [{ SUBMISSIONS_PORT: "465" }, "problem", /SUBMISSIONS_PORT needs one/],
      [{ SUBMISSION_ALLOW_PLAINTEXT: "true" }, "ok", /only clients on this server/],
      [{ SUBMISSION_ALLOW_PLAINTEXT: "true", SUBMISSIONS_PORT: "465" }, "problem", /SUBMISSIONS_PORT needs one/],
    ];
    for (const [env, state, sentence] of cases) {
      const finding = await check(dir, env);
      assert.equal(finding.state, state, JSON.stringify(env));
      assert.match(finding.detail, sentence);
    }
  });

  it("is not needed where submission is off", async (t) => {
    const dir = tempDir(t);
    const of = async (env: Record<string, string>) => runOn(dir, { zone: {}, env: { CERTS_DIR: dir, ...env } });
    const off = findingOf(await of({}), "submission_certificate");
    assert.equal(off.state, "ok");
    assert.match(off.detail, /^Neither SUBMISSION_PORT nor SUBMISSIONS_PORT is set: SMTP submission is off/);
    assert.equal(findingOf(await of({ SUBMISSIONS_PORT: "465" }), "submission_certificate").state, "problem");
  });
});
