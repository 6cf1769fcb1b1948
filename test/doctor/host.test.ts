/** The host itself: clock, disk, certificate. */
import assert from "node:assert/strict";
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { checkCertificate } from "../../src/doctor/certificate.ts";
import { checkClock, clockFinding } from "../../src/doctor/clock.ts";
import { checkFileSystem, checkFsync, fileSystemFinding, fsyncFinding } from "../../src/doctor/disk.ts";
import { selfSigned } from "../support/self-signed.ts";
import { startStsHost } from "../support/sts-host.ts";
import { tempDir } from "../support/temp-dir.ts";
import { NOW_MS, patient } from "./doctor-input.ts";

const DAY_MS = 86_400_000;

describe("the clock", () => {
  it("is compared with the nearest of those asked, whose certificate may be anything", async (t) => {
    const [near, far] = [await startStsHost(t), await startStsHost(t)];
    near.certificate = selfSigned("mta-sts.near.example", { fromMs: 0, untilMs: DAY_MS });
    near.answer = (_, response) => response.setHeader("Date", new Date(NOW_MS - 90_000).toUTCString()).end();
    far.answer = (_, response) => response.setHeader("Date", new Date(NOW_MS - DAY_MS).toUTCString()).end();
    const zone = { "mta-sts.near.example": { A: ["127.0.0.1"] }, "mta-sts.silent.example": {} };
    const env = { PROBE_DOMAINS: "silent.example,near.example", SMTP_ALLOW_PRIVATE: "true" };
    const behind = await checkClock(patient(zone, env, { httpsPort: near.port }));
    assert.deepEqual([behind.state, /90 s ahead of others/.test(behind.detail)], ["warning", true]);
    const wrong = await checkClock(patient(zone, env, { httpsPort: far.port }));
    assert.equal(wrong.state, "problem");
    assert.deepEqual([near.requests, far.requests].map(String), [
      "mta-sts.near.example/.well-known/mta-sts.txt",
      "mta-sts.near.example/.well-known/mta-sts.txt",
    ]);
  });

  it("may be off by what a header's seconds and the way make of it", () => {
    assert.deepEqual(
      [0, 9000, -9000, 11_000, -11_000, -DAY_MS].map((offset) => clockFinding(offset).state),
      ["ok", "ok", "ok", "warning", "warning", "problem"],
    );
    assert.match(clockFinding(-DAY_MS).detail, /86400 s behind others/);
  });

  it("is not asked for at private addresses", async () => {
    const zone = { "mta-sts.near.example": { A: ["127.0.0.1"] } };
    const { detail } = await checkClock(patient(zone, { PROBE_DOMAINS: "near.example" }));
    assert.match(detail, /^No web server could be asked/);
  });
});

describe("the spool's place", () => {
  it("is no memory, no network and no container's layer", () => {
    const state = (magic: number) => fileSystemFinding("/data", magic).state;
    assert.deepEqual([0xef53, 0x01021994, 0x6969, 0x794c7630, 0x12345].map(state), [
      "ok",
      "problem",
      "problem",
      "warning",
      "unclear",
    ]);
    // statfs may give the upper half as negative numbers.
    assert.match(fileSystemFinding("/data", 0x9123683e | 0).detail, /btrfs/);
  });

  it("is measured, and nothing is left there", async (t) => {
    const dir = tempDir(t);
    assert.match((await checkFsync(dir)).detail, /^An fsync takes [\d.]+ (µs|ms)/);
    assert.match((await checkFileSystem(join(dir, "not/yet"))).detail, /file system \(.*not\/yet\) is /);
    assert.deepEqual(readdirSync(dir), []);
  });

  it("is told of when an fsync is too quick to be true, or slow", () => {
    assert.deepEqual(
      [2, 60, 1700, 30_000, 150_000].map((us) => fsyncFinding(us).state),
      ["warning", "ok", "ok", "ok", "warning"],
    );
    assert.match(fsyncFinding(2).detail, /power cut would lose/);
  });
});

describe("the certificate", () => {
  it("is told of before and after its end, and when it is another's", async (t) => {
    const dir = tempDir(t);
    const state = async (untilMs: number, env: Record<string, string> = {}, fromMs = NOW_MS - DAY_MS) => {
      const { key, cert } = selfSigned("mail.shop.example", { fromMs, untilMs });
      writeFileSync(join(dir, "http.crt"), cert);
      writeFileSync(join(dir, "http.key"), key);
      return examine({ PUBLIC_URL: "https://mail.shop.example", ...env });
    };
    const examine = (env: Record<string, string>) => checkCertificate(patient({}, { CERTS_DIR: dir, ...env }));

    assert.equal((await state(NOW_MS + 60 * DAY_MS)).state, "ok");
    const soon = await state(NOW_MS + 20.5 * DAY_MS);
    assert.deepEqual([soon.state, /in 20 days/.test(soon.detail)], ["warning", true]);
    assert.match((await state(NOW_MS - 1000)).detail, /^It expired on 2026-03-01/);
    assert.match((await state(NOW_MS + 60 * DAY_MS, {}, NOW_MS + DAY_MS)).detail, /valid only from 2026-03-02/);
    const other = await state(NOW_MS + 60 * DAY_MS, { PUBLIC_URL: "https://mail.other.example:8443" });
    assert.deepEqual([other.state, /not for mail\.other\.example/.test(other.detail)], ["warning", true]);
    writeFileSync(join(dir, "http.key"), selfSigned("mail.shop.example").key);
    assert.match((await examine({})).detail, /not the key of http\.crt/);
    writeFileSync(join(dir, "http.crt"), "not a certificate");
    assert.equal((await examine({})).state, "problem");
  });

  it("is missed where others may come over plain HTTP, and what follows is said everywhere", async (t) => {
    const dir = tempDir(t);
    const cases: [env: Record<string, string>, state: string, sentence: RegExp][] = [
      [{ PUBLIC_URL: "http://localhost:8080" }, "warning", /HOST=0\.0\.0\.0 answers other hosts by plain HTTP/],
      [{ PUBLIC_URL: "http://localhost:8080", HOST: "::" }, "warning", /HOST=:: answers other hosts/],
      [{ PUBLIC_URL: "http://localhost:8080", HOST: "127.0.0.1" }, "ok", /connections from this host only/],
      [{ PUBLIC_URL: "http://[::1]:8080", HOST: "::1" }, "ok", /none is needed yet: HOST=::1/],
      [{ PUBLIC_URL: "http://mail.shop.example" }, "warning", /plain HTTP: keys and passwords can be read/],
      [{ PUBLIC_URL: "http://mail.shop.example", HOST: "127.0.0.1" }, "warning", /keys and passwords/],
      [{ PUBLIC_URL: "https://mail.shop.example" }, "unclear", /only where a proxy in front speaks HTTPS/],
      [{ PUBLIC_URL: "https://mail.shop.example", TRUST_PROXY: "1" }, "ok", /the proxy in front shows the one/],
      [{ PUBLIC_URL: "https://mail.shop.example", HOST: "127.0.0.1" }, "ok", /the proxy in front shows the one/],
    ];
    for (const [env, state, sentence] of cases) {
      const finding = await checkCertificate(patient({}, { CERTS_DIR: dir, ...env }));
      assert.equal(finding.state, state, JSON.stringify(env));
      assert.match(finding.detail, sentence);
      assert.match(finding.detail, /^There is none/);
    }
  });
});
