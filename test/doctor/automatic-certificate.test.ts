import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { checkAutomaticCertificate } from "../../src/doctor/automatic-certificate.ts";
import { checkCertificate } from "../../src/doctor/certificate.ts";
import { checkInbound } from "../../src/doctor/inbound.ts";
import { checkSubmissionCertificate } from "../../src/doctor/submission-certificate.ts";
import type { CertificateState } from "../../src/spool/port/certificate-state.ts";
import { tempDir } from "../support/temp-dir.ts";
import { doctorInput, HOST, NOW_MS } from "./doctor-input.ts";

const DAY_MS = 86_400_000;
const WEB = "mail.shop.example";
const ENV = { ACME_EMAIL: "ops@shop.example", PUBLIC_URL: `https://${WEB}` };
const NOTHING: CertificateState = { certificate: null, refused: {}, order: null };
const BOTH = { names: [HOST, WEB], untilMs: NOW_MS + 60 * DAY_MS };
const failure = (detail: string) => ({ count: 1, atMs: NOW_MS - 1000, nextAtMs: NOW_MS + 900_000, detail });

async function check(state: Partial<CertificateState>, env: Record<string, string> = ENV) {
  const certificateState = async () => ({ ...NOTHING, ...state });
  const { state: found, detail } = await checkAutomaticCertificate(doctorInput({}, env, { certificateState }));
  return [found, detail] as const;
}

describe("the certificate by ACME", () => {
  it("is not needed without ACME_EMAIL, and unknown without a spool", async () => {
    assert.equal((await check({}, {}))[0], "ok");
    assert.equal((await checkAutomaticCertificate(doctorInput({}, ENV))).state, "unclear");
  });

  it("is fine for all names, and missing before the first one", async () => {
    assert.deepEqual(await check({ certificate: BOTH }), [
      "ok",
      `The certificate by ACME for ${HOST}, ${WEB} is valid until 2026-04-30, and is renewed automatically before that.`,
    ]);
    assert.equal((await check({}))[0], "warning");
  });

  it("has the authority's reply for a failure, and the time of the next attempt", async () => {
    const [state, detail] = await check({ order: failure("too many orders.") });
    assert.equal(state, "problem");
    assert.match(
      detail,
      /^There is no certificate .* failed at 2026-03-01T09:59:59\.000Z: too many orders\. The next attempt is at 2026-03-01T10:15:00\.000Z\./,
    );
    assert.equal((await check({ certificate: BOTH, order: failure("x") }))[0], "warning");
    assert.equal((await check({ certificate: { ...BOTH, untilMs: NOW_MS - 1 }, order: failure("x") }))[0], "problem");
  });

  it("is served where this host's clock is behind, which is said until the clock has reached it", async () => {
    const [state, detail] = await check({ certificate: { ...BOTH, fromMs: NOW_MS + 3_600_000 } });
    assert.equal(state, "warning");
    assert.match(
      detail,
      /valid only from 2026-03-01T11:00:00\.000Z, by the clock of this server.* It is served, .* Set the clock\.$/,
    );
    assert.equal((await check({ certificate: { ...BOTH, fromMs: NOW_MS } }))[0], "ok");
  });

  it("names a host that was not validated, and none that the settings no longer have", async () => {
    const certificate = { ...BOTH, names: [HOST] };
    const [state, detail] = await check({ certificate, refused: { [WEB]: failure("no such host") } });
    assert.equal(state, "warning");
    assert.match(detail, new RegExp(`is not for ${WEB}\\. ${WEB} was not validated at .*no such host`));
    assert.equal((await check({ certificate: BOTH, refused: { "old.example": failure("x") } }))[0], "ok");
  });
});

it("without files, the checks of listeners refer to the certificate by ACME", async (t) => {
  const env = { ...ENV, CERTS_DIR: tempDir(t), SUBMISSION_PORT: "587", INBOUND_PORT: "25" };
  for (const examine of [checkCertificate, checkSubmissionCertificate, checkInbound]) {
    const { state, detail } = await examine(doctorInput({}, env));
    assert.deepEqual([state, /see automatic_certificate/.test(detail)], ["ok", true]);
  }
  const behindProxy = await checkCertificate(doctorInput({}, { ...env, TRUST_PROXY: "1" }));
  assert.match(behindProxy.detail, /the reverse proxy presents/);
});
