import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { checkClock, clockFinding } from "../../src/doctor/clock.ts";
import { selfSigned } from "../support/self-signed.ts";
import { startStsHost } from "../support/sts-host.ts";
import { doctorInput, NOW_MS } from "./doctor-input.ts";

const DAY_MS = 86_400_000;

describe("the clock", () => {
  it("is compared with the closest server time, whatever its certificate", async (t) => {
    const [near, far] = [await startStsHost(t), await startStsHost(t)];
    near.certificate = selfSigned("mta-sts.near.example", { fromMs: 0, untilMs: DAY_MS });
    near.answer = (_, response) => response.setHeader("Date", new Date(NOW_MS - 90_000).toUTCString()).end();
    far.answer = (_, response) => response.setHeader("Date", new Date(NOW_MS - DAY_MS).toUTCString()).end();
    const zone = { "mta-sts.near.example": { A: ["127.0.0.1"] }, "mta-sts.silent.example": {} };
    const env = { PROBE_DOMAINS: "silent.example,near.example", SMTP_ALLOW_PRIVATE: "true" };
    const behind = await checkClock(doctorInput(zone, env, { httpsPort: near.port }));
    assert.deepEqual([behind.state, /90 s ahead of other hosts/.test(behind.detail)], ["warning", true]);
    const wrong = await checkClock(doctorInput(zone, env, { httpsPort: far.port }));
    assert.equal(wrong.state, "problem");
    assert.deepEqual([near.requests, far.requests].map(String), [
      "mta-sts.near.example/.well-known/mta-sts.txt",
      "mta-sts.near.example/.well-known/mta-sts.txt",
    ]);
  });

  it("tolerates the resolution of the header and the response time", () => {
    assert.deepEqual(
      [0, 9000, -9000, 11_000, -11_000, -DAY_MS].map((offset) => clockFinding(offset).state),
      ["ok", "ok", "ok", "warning", "warning", "problem"],
    );
    assert.match(clockFinding(-DAY_MS).detail, /86400 s behind other hosts/);
  });

  it("is not requested from private addresses", async () => {
    const zone = { "mta-sts.near.example": { A: ["127.0.0.1"] } };
    const { detail } = await checkClock(doctorInput(zone, { PROBE_DOMAINS: "near.example" }));
    assert.match(detail, /^No web server returned the time/);
  });
});
