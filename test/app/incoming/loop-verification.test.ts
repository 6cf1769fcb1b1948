/** The look-ups for a signature of a feedback loop: how many, for how long, and what a failure means. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { verifyLoop } from "../../../src/app/incoming/loop-verification.ts";
import type { DnsAnswer } from "../../../src/dns/resolver.ts";
import type { IncomingMail } from "../../../src/spool/port/incoming.ts";
import { fakeClock } from "../../support/fake-clock.ts";
import { KEY_NAME, loopKey, loopReport, signedMail } from "../../support/signed-report.ts";

const TO = "complaints@bounces.shop.example";
const HOUR_MS = 3_600_000;
const TAGS = "v=1; a=rsa-sha256; c=relaxed/simple; d=senderscore.net; s=test; h=from:to:subject";

function scene(answerOf: (name: string) => Promise<DnsAnswer<string>>) {
  const clock = fakeClock();
  const asked: string[] = [];
  const read: string[][] = [];
  const parts = {
    clock,
    resolver: {
      txt(name: string) {
        asked.push(name);
        return answerOf(name);
      },
    },
    reader: {
      async isSignedByLoop({ keys }: { keys: { name: string }[] }) {
        read.push(keys.map(({ name }) => name));
        return true;
      },
    },
  };
  const receivedAtMs = clock.now();
  const verify = (content: Buffer) => {
    const mail: IncomingMail = {
      id: "inc_1",
      recipient: TO,
      envelopeSender: "",
      ip: "192.0.2.1",
      receivedAtMs,
      content,
    };
    return verifyLoop(mail, parts);
  };
  return { clock, asked, read, verify };
}

const REPORT = loopReport({ to: TO, recipient: null, original: [] });
const signedWith = (...selectors: string[]): Buffer =>
  selectors.reduce(
    (mail, selector) => signedMail(mail, { key: loopKey(), tags: TAGS.replace("s=test", `s=${selector}`) }),
    REPORT,
  );
const FOUND = async (): Promise<DnsAnswer<string>> => ({ type: "found", records: ["v=DKIM1; p="] });

test("a mail without a signature that can count causes no look-up and no reading", async () => {
  const { asked, read, verify } = scene(FOUND);
  const foreign = signedMail(REPORT, { key: loopKey(), tags: TAGS.replace("senderscore.net", "other.example") });
  for (const mail of [REPORT, foreign]) assert.equal(await verify(mail), false);
  assert.deepEqual([asked, read], [[], []]);
});

test("a mail with many signatures causes two look-ups, and one for the same key", async () => {
  const { asked, verify } = scene(FOUND);
  assert.equal(await verify(signedWith("a", "b", "c", "d")), true);
  assert.equal(asked.length, 2);
  assert.equal(await verify(signedWith("test", "test")), true);
  assert.deepEqual(asked.slice(2), [KEY_NAME]);
});

test("a mail whose key does not exist is not read", async () => {
  const { read, verify } = scene(async () => ({ type: "nxdomain" }));
  assert.equal(await verify(signedWith("test")), false);
  assert.deepEqual(read, []);
});

test("a failure of a look-up rejects for an hour, unless the other key verifies", async () => {
  const failing = (name: string): Promise<DnsAnswer<string>> =>
    name.startsWith("b.") ? Promise.resolve({ type: "failure", code: "SERVFAIL" }) : FOUND();
  const { clock, verify } = scene(failing);
  await assert.rejects(verify(signedWith("b")), /b\._domainkey\.senderscore\.net, cannot be looked up/);
  assert.equal(await verify(signedWith("a", "b")), true);
  await clock.advance(HOUR_MS);
  assert.equal(await verify(signedWith("b")), false);
});

test("a look-up without an answer is a failure after three seconds", async () => {
  const { clock, verify } = scene(() => new Promise(() => {}));
  const verifying = assert.rejects(verify(signedWith("test")), /cannot be looked up/);
  await clock.advance(2999);
  assert.equal(clock.dueMs.length, 1);
  await clock.advance(1);
  await verifying;
  assert.equal(clock.dueMs.length, 0);
});
