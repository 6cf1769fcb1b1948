/** The doctor's check of the host's own DKIM key: DNS must have its public half. */
import assert from "node:assert/strict";
import { createPublicKey, generateKeyPairSync, type KeyObject } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { it, type TestContext } from "node:test";
import { readConfig } from "../../src/config.ts";
import type { Finding } from "../../src/doctor/finding.ts";
import { checkHostDkim } from "../../src/doctor/host-dkim.ts";
import type { FakeZone } from "../support/fake-resolver.ts";
import { tempDir } from "../support/temp-dir.ts";
import { doctorInput } from "./doctor-input.ts";

const NAME = "h1._domainkey.mail.shop.example";
const newKey = (modulusLength = 2048): KeyObject => generateKeyPairSync("rsa", { modulusLength }).privateKey;
const recordOf = (key: KeyObject): string =>
  `v=DKIM1; k=rsa; p=${createPublicKey(key).export({ type: "spki", format: "der" }).toString("base64")}`;
const published = (...records: string[]): FakeZone => ({ [NAME]: { TXT: records } });

/** The finding with this key in the file, by the service and by the command line, which reads the file only for the check. */
function checks(t: TestContext, key: KeyObject): (zone: FakeZone) => Promise<Finding> {
  const file = join(tempDir(t), "host.pem");
  writeFileSync(file, key.export({ type: "pkcs8", format: "pem" }));
  const env = { HOST_DKIM_DOMAIN: "Mail.Shop.Example.", HOST_DKIM_SELECTOR: "h1", HOST_DKIM_KEY_FILE: file };
  return async (zone) => {
    const [service, command] = await Promise.all(
      [true, false].map((secretFiles) =>
        checkHostDkim(doctorInput(zone, {}, { config: readConfig(env, { secretFiles }) })),
      ),
    );
    assert.deepEqual(service, command);
    return service ?? assert.fail("no finding");
  };
}

it("the record has the public half of the key", async (t) => {
  const key = newKey();
  const check = checks(t, key);
  const ok = await check(published(recordOf(key)));
  assert.deepEqual(ok, { check: "host_dkim", state: "ok", detail: `Our key is published at ${NAME}.` });
  assert.equal((await check(published(`${recordOf(key)}; t=y`))).state, "warning");
});

it("without that record, receivers cannot verify the signatures", async (t) => {
  const key = newKey();
  const check = checks(t, key);
  for (const zone of [{}, published(recordOf(newKey())), published("v=DKIM1; p="), published(recordOf(key), "b")]) {
    const { state, detail } = await check(zone);
    assert.equal(state, "warning");
    assert.match(detail, /^Receivers cannot verify the signatures of mail\.shop\.example\. .*h1\._domainkey\./);
  }
  const { state, detail } = await check({ [NAME]: { TXT: { failure: "ESERVFAIL" } } });
  assert.deepEqual([state, detail.includes("ESERVFAIL")], ["unclear", true]);
});

it("a short key is a warning", async (t) => {
  const key = newKey(1024);
  const { state, detail } = await checks(t, key)(published(recordOf(key)));
  assert.deepEqual(
    [state, detail],
    ["warning", `Our key is published at ${NAME}. The key has 1024 bits: make one of 2048.`],
  );
});

it("a file that the command line cannot read, or without a valid key, is reported by its setting", async (t) => {
  const file = join(tempDir(t), "host.pem");
  const env = { HOST_DKIM_DOMAIN: "mail.shop.example", HOST_DKIM_SELECTOR: "h1", HOST_DKIM_KEY_FILE: file };
  const check = () => checkHostDkim(doctorInput({}, {}, { config: readConfig(env, { secretFiles: false }) }));
  const missing = await check();
  assert.equal(missing.state, "unclear");
  assert.ok(missing.detail.startsWith(`HOST_DKIM_KEY_FILE=${file} is not readable: no such file`), missing.detail);
  writeFileSync(file, "none");
  const invalid = await check();
  assert.equal(invalid.state, "problem");
  assert.ok(invalid.detail.startsWith(`HOST_DKIM_KEY_FILE=${file} is not valid: `), invalid.detail);
});

it("without the settings there is no second signature, which is in order", async () => {
  const { state, detail } = await checkHostDkim(doctorInput({}));
  assert.deepEqual([state, /^HOST_DKIM_DOMAIN is not set/.test(detail)], ["ok", true]);
});
