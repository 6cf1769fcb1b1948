/** The signing thread: what it is asked for, and what it is asked for ahead. */
import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { after, before, test } from "node:test";
import { type Signer, startSigner, type Unsigned } from "../../src/delivery/signer.ts";
import type { Vault } from "../../src/secrets.ts";
import type { Registry } from "../../src/spool/registry.ts";

function letter(n: number, domainId = "dom_1"): Unsigned {
  const content = Buffer.from(`From: a@a.example\r\nSubject: ${n}\r\n\r\nBody ${n}\r\n`);
  return { messageId: `msg_${n}`, domainId, content };
}

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
  const letters = Array.from({ length: 50 }, (_, n) => letter(n));
  for (const each of letters) signer.signAhead(each, 20);
  const ahead = await Promise.all(letters.map((each) => signer.sign(each)));
  const plain = await Promise.all(letters.map((each) => signer.sign(each)));
  const values = (headers: Buffer[]): string[] => headers.map((header) => header.toString().replace(/ t=\d+;/, ""));
  assert.deepEqual(values(ahead), values(plain));
  assert.equal(new Set(values(plain)).size, 50);
});

for (const when of ["while it is made", "once it is made"]) {
  test(`a signature made ahead serves its message even when the content was read again, and once only: ${when}`, async () => {
    const signed = letter(1);
    const readAgain = { ...signed, content: Buffer.from("From: a@a.example\r\nSubject: another\r\n\r\nBody\r\n") };
    const bodyHash = (header: Buffer): string | undefined => /bh=([^;]+)/.exec(header.toString())?.[1];
    signer.signAhead(signed, 20);
    // The thread answers in the order in which it was asked.
    if (when === "once it is made") await signer.sign(letter(2));
    const [first, second] = [await signer.sign(readAgain), await signer.sign(readAgain)];
    assert.match(first.toString(), /^DKIM-Signature: .*\r\n$/s);
    assert.equal(bodyHash(first), bodyHash(await signer.sign(signed)));
    assert.notEqual(bodyHash(second), bodyHash(first));
  });
}

test("a key that cannot be read is told to who asks, and read again at the next attempt", async () => {
  trouble = "the disk is gone";
  const unsigned = letter(1, "dom_2");
  signer.signAhead(unsigned, 20);
  await assert.rejects(signer.sign(unsigned), /the disk is gone/);
  trouble = null;
  assert.match((await signer.sign(unsigned)).toString(), /^DKIM-Signature: /);
});
