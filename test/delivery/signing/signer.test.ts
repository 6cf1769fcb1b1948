/** The signing thread: signatures on request and ahead, and the choice of the domain's key. */
import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { after, before, type TestContext, test } from "node:test";
import { type Signer, ThreadSigner, type UnsignedMessage } from "../../../src/delivery/signing/signer.ts";
import { contentOf } from "../../../src/message/content.ts";
import type { Vault } from "../../../src/security/vault.ts";
import type { Registry } from "../../../src/spool/port/accounts.ts";
import type { SealedSigningKey } from "../../../src/spool/port/domains.ts";

function unsignedMessage(n: number, domainId = "dom_1"): UnsignedMessage {
  const content = Buffer.from(`From: a@a.example\r\nSubject: ${n}\r\n\r\nBody ${n}\r\n`);
  return { messageId: `msg_${n}`, domainId, input: { bytes: content } };
}

let signer: Signer;
/** While set, no key can be read. */
let readError: string | null = null;

let pem: string;

before(() => {
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 1024 });
  pem = privateKey.export({ type: "pkcs8", format: "pem" }).toString();
  const registry: Partial<Registry> = {
    async signingKey() {
      if (readError !== null) throw new Error(readError);
      return { domain: "a.example", selector: "s1", sealedPrivateKey: "sealed" } as never;
    },
  };
  const vault = { open: () => pem } as Partial<Vault> as Vault;
  signer = new ThreadSigner({ registry: registry as Registry, vault, onFatal: assert.fail });
});

after(() => signer.close());

test("a signature made ahead equals one made on request", async () => {
  const messages = Array.from({ length: 50 }, (_, n) => unsignedMessage(n));
  for (const each of messages) signer.signAhead(each, 20);
  const ahead = await Promise.all(messages.map((each) => signer.sign(each)));
  const plain = await Promise.all(messages.map((each) => signer.sign(each)));
  const values = (headers: Buffer[]): string[] => headers.map((header) => header.toString().replace(/ t=\d+;/, ""));
  assert.deepEqual(values(ahead), values(plain));
  assert.equal(new Set(values(plain)).size, 50);
});

for (const when of ["before it is made", "once it is made"]) {
  test(`a signature made ahead is used once, even when the content was read again: ${when}`, async () => {
    const signed = unsignedMessage(1);
    const another = contentOf(Buffer.from("From: a@a.example\r\nSubject: another\r\n\r\nBody\r\n"));
    const readAgain = { ...signed, input: { bytes: another.bytes } };
    const bodyHash = (header: Buffer): string | undefined => /bh=([^;]+)/.exec(header.toString())?.[1];
    signer.signAhead(signed, 20);
    // The thread replies in the order of the requests.
    if (when === "once it is made") await signer.sign(unsignedMessage(2));
    const [first, second] = [await signer.sign(readAgain), await signer.sign(readAgain)];
    assert.match(first.toString(), /^DKIM-Signature: .*\r\n$/s);
    assert.equal(bodyHash(first), bodyHash(await signer.sign(signed)));
    assert.notEqual(bodyHash(second), bodyHash(first));
  });
}

test("an unreadable key rejects the request and is read again at the next attempt", async () => {
  readError = "the disk is gone";
  const unsigned = unsignedMessage(1, "dom_2");
  signer.signAhead(unsigned, 20);
  await assert.rejects(signer.sign(unsigned), /the disk is gone/);
  readError = null;
  assert.match((await signer.sign(unsigned)).toString(), /^DKIM-Signature: /);
});

const OPENS = Buffer.from("opens");
const LOST = Buffer.from("sealed with a lost key");

/** A signer for messages of one domain row, whose key is `own`; each can be replaced while it runs. */
function signerOf(
  t: TestContext,
  keys: { own: Buffer | Error; successor: Buffer | null },
): { sign: () => Promise<string>; successorReads: () => number } {
  const key = (selector: string, sealedPrivateKey: Buffer): SealedSigningKey => {
    return { domain: "a.example", selector, sealedPrivateKey };
  };
  let reads = 0;
  const registry: Partial<Registry> = {
    async signingKey() {
      if (keys.own instanceof Error) throw keys.own;
      return key("former", keys.own);
    },
    async successorKey() {
      reads += 1;
      return keys.successor && key("present", keys.successor);
    },
  };
  const open: Vault["open"] = (name, sealed) => {
    if (sealed === OPENS) return pem;
    throw new Error(`${name} does not open`);
  };
  const own = new ThreadSigner({ registry: registry as Registry, vault: { open }, onFatal: assert.fail });
  t.after(() => own.close());
  return {
    sign: async () => / s=(\w+);/.exec((await own.sign(unsignedMessage(1))).toString())?.[1] ?? "",
    successorReads: () => reads,
  };
}

test("when a message's own key does not open, its domain's current key signs it", async (t) => {
  const { sign } = signerOf(t, { own: LOST, successor: OPENS });
  assert.equal(await sign(), "present");
  assert.equal(await sign(), "present");
});

test("a key is replaced neither when it opens nor when the spool cannot be read", async (t) => {
  const opening = signerOf(t, { own: OPENS, successor: OPENS });
  assert.equal(await opening.sign(), "former");
  assert.equal(opening.successorReads(), 0);
  const unread = signerOf(t, { own: new Error("the disk is gone"), successor: OPENS });
  await assert.rejects(unread.sign(), /^Error: the disk is gone$/);
  assert.equal(unread.successorReads(), 0);
});

test("without a current key that opens, the error names the key, and a later attempt reads again", async (t) => {
  const keys: Parameters<typeof signerOf>[1] = { own: LOST, successor: null };
  const { sign } = signerOf(t, keys);
  await assert.rejects(sign(), /^Error: former\._domainkey\.a\.example does not open$/);
  keys.successor = LOST;
  await assert.rejects(sign(), /^Error: present\._domainkey\.a\.example does not open$/);
  keys.successor = OPENS;
  assert.equal(await sign(), "present");
});

test("the host's key signs beside the sender's, unless both are of one domain", async (t) => {
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 1024 });
  const registry: Partial<Registry> = {
    signingKey: async (id) => ({ domain: `${id}.example`, selector: "s1", sealedPrivateKey: OPENS }),
  };
  const own = new ThreadSigner({
    registry: registry as Registry,
    vault: { open: () => pem },
    hostKey: { domain: "host.example", selector: "h1", privateKey },
    onFatal: assert.fail,
  });
  t.after(() => own.close());
  const message = unsignedMessage(1, "shop");
  const domains = (header: Buffer) =>
    [...header.toString().matchAll(/^DKIM-Signature:.* d=([^;]+);/gm)].map(([, d]) => d);
  own.signAhead(message, 20);
  for (const when of ["ahead", "on request"]) {
    assert.deepEqual(domains(await own.sign(message)), ["shop.example", "host.example"], when);
  }
  assert.deepEqual(domains(await own.sign(unsignedMessage(2, "host"))), ["host.example"]);
});

test("a signer that falls behind gets another thread, and every message its own signature", async (t) => {
  let reads = 0;
  const registry: Partial<Registry> = {
    async signingKey() {
      reads += 1;
      return { domain: "a.example", selector: "s1", sealedPrivateKey: OPENS };
    },
  };
  const vault = { open: () => pem } as Partial<Vault> as Vault;
  const own = new ThreadSigner({ registry: registry as Registry, vault, onFatal: assert.fail, threadsMax: 3 });
  t.after(() => own.close());
  // A thread reads the key for its first message.
  for (let first = 0; reads < 3 && first < 100_000; first += 200) {
    const messages = Array.from({ length: 200 }, (_, n) => unsignedMessage(first + n));
    const headers = await Promise.all(messages.map((message) => own.sign(message)));
    for (const [n, { input }] of messages.entries()) {
      const { bodyHash } = contentOf(Buffer.from((input as { bytes: Uint8Array }).bytes));
      assert.equal(/bh=([^;]+)/.exec(headers[n]?.toString() ?? "")?.[1], bodyHash);
    }
  }
  assert.equal(reads, 3);
});
