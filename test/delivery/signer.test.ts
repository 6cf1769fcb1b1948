/** The signing thread: what it is asked for, and what it is asked for ahead. */
import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { after, before, test } from "node:test";
import { type Signer, startSigner } from "../../src/delivery/signer.ts";
import type { Vault } from "../../src/secrets.ts";
import type { Registry } from "../../src/spool/registry.ts";

const letter = (n: number): Buffer => Buffer.from(`From: a@a.example\r\nSubject: ${n}\r\n\r\nBody ${n}\r\n`);

let signer: Signer;
/** While set, no key can be read. */
let trouble: string | null = null;

before(() => {
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 1024 });
  const pem = privateKey.export({ type: "pkcs8", format: "pem" }).toString();
  const registry: Partial<Registry> = {
    async signingKey() {
      if (trouble !== null) throw new Error(trouble);
      return { domain: "a.example", selector: "s1", sealedPrivateKey: "sealed" } as never;
    },
  };
  const vault = { open: () => pem } as Partial<Vault> as Vault;
  signer = startSigner(registry as Registry, vault, assert.fail);
});

after(() => signer.close());

test("what was signed ahead is what would have been signed", async () => {
  const contents = Array.from({ length: 50 }, (_, n) => letter(n));
  for (const content of contents) signer.signAhead("dom_1", content, 20);
  const ahead = await Promise.all(contents.map((content) => signer.sign("dom_1", content)));
  const plain = await Promise.all(contents.map((content) => signer.sign("dom_1", Buffer.from(content))));
  const values = (headers: Buffer[]): string[] => headers.map((header) => header.toString().replace(/ t=\d+;/, ""));
  assert.deepEqual(values(ahead), values(plain));
  assert.equal(new Set(values(plain)).size, 50);
});

test("a key that cannot be read is told to who asks, and read again at the next attempt", async () => {
  trouble = "the disk is gone";
  const content = letter(1);
  signer.signAhead("dom_2", content, 20);
  await assert.rejects(signer.sign("dom_2", content), /the disk is gone/);
  trouble = null;
  assert.match((await signer.sign("dom_2", content)).toString(), /^DKIM-Signature: /);
});
