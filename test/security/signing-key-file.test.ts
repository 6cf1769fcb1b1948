/** The DKIM key of the host's own domain: which files are accepted, and what the fault of another one says. */
import assert from "node:assert/strict";
import { generateKeyPairSync, type KeyObject } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { it, type TestContext } from "node:test";
import { readSigningKey, rsaBits } from "../../src/security/signing-key-file.ts";
import { tempDir } from "../support/temp-dir.ts";

const rsa = (modulusLength: number): KeyObject => generateKeyPairSync("rsa", { modulusLength }).privateKey;
const pem = (key: KeyObject, type: "pkcs1" | "pkcs8" = "pkcs8"): string =>
  key.export({ type, format: "pem" }).toString();

function reader(t: TestContext): (content: string) => ReturnType<typeof readSigningKey> {
  const file = join(tempDir(t), "host.pem");
  return (content) => {
    writeFileSync(file, content);
    return readSigningKey(file);
  };
}

it("is an RSA key of 1024 bits at least, in PKCS #1 or #8", (t) => {
  const read = reader(t);
  const key = rsa(1024);
  for (const type of ["pkcs1", "pkcs8"] as const) {
    const found = read(pem(key, type));
    assert.ok(found.type === "key" && found.key.equals(key), type);
    assert.equal(rsaBits(found.key), 1024);
  }
});

it("is no other content, and the fault has nothing of it", (t) => {
  const read = reader(t);
  const { privateKey, publicKey } = generateKeyPairSync("ed25519");
  const encrypted = rsa(1024).export({ type: "pkcs8", format: "pem", cipher: "aes-256-cbc", passphrase: "secret" });
  const damaged = pem(rsa(1024)).replace(/\n[^\n]+\n/, "\n");
  const others = [
    "",
    "secret",
    pem(privateKey),
    publicKey.export({ type: "spki", format: "pem" }).toString(),
    encrypted.toString(),
    damaged,
  ];
  const fault = "is not valid: the file must hold an RSA private key of 1024 to 4096 bits in PEM, without a passphrase";
  for (const content of others) assert.deepEqual(read(content), { type: "unsuitable", fault });
  assert.deepEqual(read(pem(rsa(512))), { type: "unsuitable", fault: `${fault}, and it has 512` });
});

it("is in a file that can be read", (t) => {
  const dir = tempDir(t);
  mkdirSync(join(dir, "directory"));
  for (const [name, reason] of [
    ["missing", "no such file or directory (ENOENT)"],
    ["directory", "illegal operation on a directory (EISDIR)"],
  ] as const) {
    assert.deepEqual(readSigningKey(join(dir, name)), { type: "unreadable", fault: `is not readable: ${reason}` });
  }
});
