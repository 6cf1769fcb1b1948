/** The doctor's advice about the inbound listener: its certificate, and the port that other servers connect to. */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { it } from "node:test";
import type { Finding } from "../../src/doctor/finding.ts";
import { checkInbound } from "../../src/doctor/inbound.ts";
import { selfSigned, type Validity } from "../support/self-signed.ts";
import { tempDir } from "../support/temp-dir.ts";
import { doctorInput, findingOf, HOST, NOW_MS, runOn } from "./doctor-input.ts";

const DAY_MS = 86_400_000;

function put(dir: string, name: "smtp" | "http", validity: Validity = {}): void {
  const { key, cert } = selfSigned("any.example", {
    fromMs: NOW_MS - DAY_MS,
    untilMs: NOW_MS + 60 * DAY_MS,
    ...validity,
  });
  writeFileSync(join(dir, `${name}.crt`), cert);
  writeFileSync(join(dir, `${name}.key`), key);
}

const check = (dir: string, port = "25"): Promise<Finding> =>
  checkInbound(doctorInput({}, { CERTS_DIR: dir, INBOUND_PORT: port }));

it("the certificate may be for any name, and is missing with a warning", async (t) => {
  const dir = tempDir(t);
  const missing = await check(dir);
  assert.deepEqual([missing.state, /arrives without TLS.* Put smtp\.crt/.test(missing.detail)], ["warning", true]);
  for (const name of ["http", "smtp"] as const) {
    put(dir, name);
    const found = await check(dir);
    assert.deepEqual([found.state, found.detail.includes(`with ${name}.crt.`)], ["ok", true]);
  }
});

it("an expired certificate is a warning: mail arrives all the same", async (t) => {
  const dir = tempDir(t);
  put(dir, "smtp", { untilMs: NOW_MS - 1000 });
  const finding = await check(dir);
  assert.deepEqual([finding.state, /expired on 2026-03-01/.test(finding.detail)], ["warning", true]);
});

it("other servers connect to port 25", async (t) => {
  const dir = tempDir(t);
  put(dir, "smtp");
  assert.ok((await check(dir)).detail.endsWith(`Other servers must reach port 25 of ${HOST}.`));
  assert.ok((await check(dir, "2525")).detail.endsWith(`port 25 of ${HOST}: forward it to INBOUND_PORT=2525.`));
});

it("a listener on loopback is reached by no other server", async () => {
  for (const HOST of ["127.0.0.1", "::1", "localhost"]) {
    const finding = await checkInbound(doctorInput({}, { HOST, INBOUND_PORT: "25" }));
    assert.equal(finding.state, "warning");
    assert.match(finding.detail, /no other server can reach the inbound listener/);
  }
});

it("without INBOUND_PORT the listener is off, which is in order", async (t) => {
  const dir = tempDir(t);
  const of = (env: Record<string, string>) => runOn(dir, { zone: {}, env: { CERTS_DIR: dir, ...env } });
  const off = findingOf(await of({}), "inbound");
  assert.equal(off.state, "ok");
  assert.match(off.detail, /^INBOUND_PORT is not set: the inbound listener is off/);
  assert.equal(findingOf(await of({ INBOUND_PORT: "25" }), "inbound").state, "warning");
});
