/** Which mails a known feedback loop has signed, and what attackers try: each fails by one thing alone. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  type Arrival,
  isSignedByLoop,
  loopKeyNames,
  SIGNATURES_MAX,
} from "../../../src/message/feedback/loop-signature.ts";
import { KEY_NAME, loopKey, loopReport, type SigningOptions, signedMail } from "../../support/signed-report.ts";

const TO = "complaints@bounces.shop.example";
const RECEIVED_AT_MS = Date.UTC(2026, 2, 2);
const ARRIVAL: Arrival = { recipient: TO, receivedAtMs: RECEIVED_AT_MS };
const KEY = loopKey();
const KEYS = new Map([[KEY_NAME, [KEY.record]]]);
const REPORT = loopReport({ to: TO, recipient: "ann@customers.example", original: ["Message-ID: <m@shop.example>"] });
const TAGS = "v=1; a=rsa-sha256; c=relaxed/simple; d=senderscore.net; s=test; h=from:to:subject";

const signed = (mail = REPORT, options: Partial<SigningOptions> = {}): Buffer =>
  signedMail(mail, { key: KEY, ...options });
const changed = (mail: Buffer, from: string | RegExp, to: string): Buffer =>
  Buffer.from(mail.toString("latin1").replace(from, to), "latin1");

interface Claim {
  arrival?: Arrival;
  keys?: Map<string, string[]>;
}

const verify = (mail: Buffer, { arrival = ARRIVAL, keys = KEYS }: Claim = {}): Promise<boolean> =>
  isSignedByLoop(mail, arrival, keys);

/** The mail does not count, and causes no look-up either. */
async function assertIgnored(mail: Buffer, arrival = ARRIVAL): Promise<void> {
  assert.deepEqual(loopKeyNames(mail, arrival), []);
  assert.equal(await verify(mail, { arrival }), false);
}

describe("a report that a known feedback loop has signed", () => {
  it("counts, in the form in which Validity signs", async () => {
    assert.deepEqual(loopKeyNames(signed(), ARRIVAL), [KEY_NAME]);
    assert.equal(await verify(signed()), true);
  });

  it("counts with Yahoo's domain, in the form of its From", async () => {
    const report = loopReport({ from: "feedback@arf.mail.yahoo.com", to: TO, recipient: null, original: [] });
    const mail = signed(report, { tags: TAGS.replace("senderscore.net", "arf.mail.yahoo.com") });
    const name = KEY_NAME.replace("senderscore.net", "arf.mail.yahoo.com");
    assert.deepEqual(loopKeyNames(mail, ARRIVAL), [name]);
    assert.equal(await verify(mail, { keys: new Map([[name, [KEY.record]]]) }), true);
  });

  it("counts beside signatures and seals of others, which cause no look-up", async () => {
    const foreign = signed(signed(), { key: loopKey(), tags: TAGS.replace("senderscore.net", "other.example") });
    const bodyHash = /; bh=([^;]*)/.exec(foreign.toString())?.[1];
    const seals = [
      "ARC-Seal: i=1; a=rsa-sha256; d=other.example; s=x; cv=none; b=AAAA",
      `ARC-Message-Signature: i=1; a=rsa-sha256; c=relaxed/simple; d=other.example; s=x; h=from; bh=${bodyHash}; b=AAAA`,
      "ARC-Authentication-Results: i=1; other.example; none",
    ];
    const mail = Buffer.concat([Buffer.from(seals.map((field) => `${field}\r\n`).join("")), foreign]);
    assert.deepEqual(loopKeyNames(mail, ARRIVAL), [KEY_NAME]);
    const asked: string[] = [];
    class Keys extends Map<string, string[]> {
      override get(name: string): string[] | undefined {
        asked.push(name);
        return super.get(name);
      }
    }
    assert.equal(await verify(mail, { keys: new Keys(KEYS) }), true);
    assert.deepEqual(asked, [KEY_NAME]);
  });

  it("counts if it has expired since it arrived, and not if it had expired before", async () => {
    const at = RECEIVED_AT_MS / 1000;
    assert.equal(await verify(signed(REPORT, { tags: `${TAGS}; x=${at + 1}` })), true);
    await assertIgnored(signed(REPORT, { tags: `${TAGS}; x=${at}` }));
    await assertIgnored(signed(REPORT, { tags: `${TAGS}; x=later` }));
  });
});

describe("a report does not count", () => {
  it("with a body that was changed, shortened or extended", async () => {
    assert.equal(await verify(changed(signed(), "ann@", "bob@")), false);
    assert.equal(await verify(changed(signed(), /--=b--\r\n$/, "")), false);
    assert.equal(await verify(Buffer.concat([signed(), Buffer.from("more\r\n")])), false);
  });

  it("with a signed field that was changed", async () => {
    assert.equal(await verify(changed(signed(), "Subject: Yandex", "Subject: Other")), false);
    assert.equal(await verify(changed(signed(), "feedbackloop@yandexfbl", "feedbackloop@comcastfbl")), false);
  });

  it("with a signature of a part of the body (l=)", async () => {
    for (const tag of ["l=10", "L=10", "l = 10"]) {
      const mail = signed(REPORT, { tags: `${TAGS}; l=10` });
      await assertIgnored(changed(mail, "; l=10", `; ${tag}`));
    }
  });

  it("that was signed by another key than that of the loop, or by one that was revoked or is tested", async () => {
    assert.equal(await verify(signed(REPORT, { key: loopKey() })), false);
    for (const record of ["v=DKIM1; k=rsa; p=", `${KEY.record}; t=y`, `${KEY.record}; t=s:y`, "v=spf1 -all"])
      assert.equal(await verify(signed(), { keys: new Map([[KEY_NAME, [record]]]) }), false, record);
    assert.equal(await verify(signed(), { keys: new Map([[KEY_NAME, [KEY.record, KEY.record]]]) }), false);
    assert.equal(await verify(signed(), { keys: new Map() }), false);
  });

  it("that a stranger has signed, or a domain that only looks like the loop's", async () => {
    for (const domain of ["other.example", "xsenderscore.net", "senderscore.net.example", "mail.yahoo.com"])
      await assertIgnored(signed(REPORT, { tags: TAGS.replace("senderscore.net", domain) }));
  });

  it("whose From is not the loop's, or is there twice", async () => {
    for (const from of ["feedback@other.example", "feedback@senderscore.net.example", "feedback@xsenderscore.net"]) {
      const report = loopReport({ from, to: TO, recipient: null, original: [] });
      await assertIgnored(signed(report));
    }
    const both = "a@other.example <feedbackloop@yandexfbl.senderscore.net>";
    await assertIgnored(signed(changed(REPORT, /^From: .*$/m, `From: ${both}`)));
    await assertIgnored(Buffer.concat([Buffer.from("From: a@other.example\r\n"), signed()]));
    const yahoo = loopReport({ from: "feedback@x.arf.mail.yahoo.com", to: TO, recipient: null, original: [] });
    await assertIgnored(signed(yahoo, { tags: TAGS.replace("senderscore.net", "arf.mail.yahoo.com") }));
  });

  it("that was sent to another address, also if To is added", async () => {
    await assertIgnored(signed(), { ...ARRIVAL, recipient: "complaints@bounces.other.example" });
    const other = loopReport({ to: "complaints@bounces.other.example", recipient: null, original: [] });
    await assertIgnored(signed(other));
    await assertIgnored(Buffer.concat([Buffer.from(`To: ${TO}\r\n`), signed(other)]));
  });

  it("whose signature does not cover From and To", async () => {
    await assertIgnored(signed(REPORT, { tags: TAGS.replace("from:to:subject", "from:subject") }));
    await assertIgnored(signed(REPORT, { tags: TAGS.replace("from:to:subject", "to:subject") }));
  });

  it("whose signature is weak, or could be read in several ways", async () => {
    for (const tags of [
      TAGS.replace("rsa-sha256", "rsa-sha1"),
      TAGS.replace("v=1", "v=2"),
      TAGS.replace("v=1; ", ""),
      TAGS.replace("s=test", "s=a/b"),
      `${TAGS}; d=other.example`,
      `d=other.example; ${TAGS}`,
      `${TAGS}; z="l"`,
      `${TAGS}; z=(l)`,
      `${TAGS}; z=${"a".repeat(4096)}`,
    ])
      await assertIgnored(signed(REPORT, { tags }));
  });

  it("whose header or length readers could take for another", async () => {
    const insert = (text: string): Buffer => Buffer.concat([Buffer.from(text), signed()]);
    for (const text of ["\r\n", "no field\r\n", " continued: x\r\n", "X: a\nb\r\n", "X: a\rb\r\n", "X: a\0b\r\n"])
      await assertIgnored(insert(text));
    await assertIgnored(insert("X: y\r\n".repeat(1000)));
    await assertIgnored(insert(`X: ${"y".repeat(64 * 1024)}\r\n`));
    await assertIgnored(signed(Buffer.concat([REPORT, Buffer.alloc(1024 * 1024, "a")])));
    assert.equal(await verify(signed(Buffer.concat([REPORT, Buffer.from("a\r\n".repeat(20_000))]))), false);
    assert.equal(await verify(signed(Buffer.concat([REPORT, Buffer.from("a\nb\r\n")]))), false);
  });

  it("by more signatures than are looked at", async () => {
    let mail = signed();
    for (let i = 0; i < 5; i += 1) mail = signed(mail, { key: loopKey(), tags: TAGS.replace("s=test", `s=other${i}`) });
    assert.equal(loopKeyNames(mail, ARRIVAL).length, SIGNATURES_MAX);
    assert.equal(await verify(mail), false);
  });
});
