/** Contents in 7 bits: the same octets as the whole message at once, in parts, within a memory that all attempts share. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { setImmediate as nextIteration } from "node:timers/promises";
import { type SevenBitContent, SevenBitContents } from "../../../src/delivery/dispatch/seven-bit-contents.ts";
import { systemClock } from "../../../src/lib/clock.ts";
import { toSevenBit } from "../../../src/message/compose/seven-bit.ts";
import { contentOf } from "../../../src/message/content.ts";
import { MessageDamaged } from "../../../src/spool/port/errors.ts";
import type { StoredContent } from "../../../src/spool/port/mail.ts";
import { contentInParts, cutAt } from "../../support/content-parts.ts";
import { fakeClock } from "../../support/fake-clock.ts";

const KIB = 1024;
const HEADER = "From: a@shop.example\r\nMIME-Version: 1.0\r\n";
const LINE = `${"ü".repeat(300)}\r\n`;
const FLAT = Buffer.from(`${HEADER}Content-Transfer-Encoding: 8bit\r\n\r\n${LINE.repeat(200)}`);
const MIXED = Buffer.from(
  [
    `${HEADER}Content-Type: multipart/mixed; boundary=out`,
    "",
    "--out",
    "Content-Type: multipart/alternative; boundary=in",
    "",
    "--in",
    "",
    `${LINE}  \t`,
    "--in",
    "Content-Type: text/plain",
    "",
    " plain  text \t",
    "",
    "",
    "--in--",
    "--out",
    "",
    LINE.repeat(100),
    "--out--",
    "",
  ].join("\r\n"),
);

const everyPart = (size: number, bytes: Buffer): Buffer[] =>
  cutAt(
    bytes,
    Array.from({ length: Math.ceil(bytes.length / size) - 1 }, (_, i) => (i + 1) * size),
  );

const stored = (bytes: Buffer, size: number, part?: () => Promise<void>) =>
  contentInParts(everyPart(size, bytes), { bodyHash: "hash", ...(part === undefined ? {} : { part }) });

async function partsOf({ first, laterParts, part }: StoredContent): Promise<Buffer[]> {
  const parts = [first];
  for (let number = 1; number <= laterParts; number += 1) parts.push(await part(number));
  return parts;
}

const request = (accountId = "acc_a") => ({ accountId, gone: new AbortController().signal });

describe("a content in 7 bits", () => {
  it("has the octets, the size and the body hash of the message that is converted as a whole", async () => {
    const contents = new SevenBitContents({ clock: systemClock, stepOctets: 1000 });
    for (const message of [FLAT, MIXED]) {
      const whole = contentOf(toSevenBit(message) ?? assert.fail());
      for (const size of [100, 1000, 1001, 64 * KIB, message.length]) {
        const converted = await contents.convert(stored(message, size), request());
        const { content, sizeBytes } = converted ?? assert.fail();
        assert.ok(Buffer.concat(await partsOf(content)).equals(whole.bytes), `${size}`);
        assert.deepEqual([content.bodyHash, sizeBytes], [whole.bodyHash, whole.bytes.length]);
      }
    }
  });

  it("is converted again for each transaction, in any order of its parts", async () => {
    const contents = new SevenBitContents({ clock: systemClock });
    const { content } = (await contents.convert(stored(FLAT, 1000), request())) ?? assert.fail();
    const [, ...later] = await partsOf(content);
    for (const number of [later.length, 3, 1, 3]) {
      assert.ok((await content.part(number)).equals(later[number - 1] ?? assert.fail()), `${number}`);
    }
  });

  it("is held in no larger pieces than its parts, also where the spool returns it as a whole", async () => {
    const contents = new SevenBitContents({ clock: systemClock, stepOctets: 1000 });
    for (const content of [stored(FLAT, 1000), stored(FLAT, FLAT.length)]) {
      const converted = await contents.convert(content, request());
      const parts = await partsOf(converted?.content ?? assert.fail());
      assert.ok(parts.length >= FLAT.length / 1000, `${parts.length}`);
      for (const part of parts) assert.ok(part.length < 2000, `${part.length}`);
    }
  });

  it("is null where the structure does not allow 7 bits, and then holds no memory", async () => {
    const contents = new SevenBitContents({ clock: systemClock, memoryBytes: 100 * KIB });
    const message = Buffer.from(`${HEADER}Content-Transfer-Encoding: base64\r\n\r\n${LINE.repeat(100)}`);
    for (let i = 0; i < 5; i += 1) assert.equal(await contents.convert(stored(message, 10 * KIB), request()), null);
  });

  it("takes an iteration of the event loop for each step, once the time of an iteration is spent", async () => {
    let nowMs = 0;
    const clock = { ...fakeClock(), monotonicMs: () => (nowMs += 10) };
    const contents = new SevenBitContents({ clock, stepOctets: 1000 });
    let [iterations, isRunning] = [0, true];
    const counting = (async () => {
      for (; isRunning; iterations += 1) await nextIteration();
    })();
    const converted = await contents.convert(stored(FLAT, FLAT.length), request());
    isRunning = false;
    await counting;
    const parts = (converted?.content.laterParts ?? 0) + 1;
    assert.ok(iterations >= 2 * parts && parts > 100, `${iterations} iterations for ${parts} parts, each read twice`);
  });
});

interface Conversion {
  content: SevenBitContent | null;
  error: string | null;
  /** Parts that were read beside the first one. */
  reads: number[];
  gone: AbortController;
}

/** Conversions of contents that need 90 KiB each, of which the memory has room for four, two of them of an account. */
function stage() {
  const clock = fakeClock();
  const contents = new SevenBitContents({ clock, memoryBytes: 400 * KIB });
  const begin = (accountId = "acc_a"): Conversion => {
    const content = stored(FLAT.subarray(0, 80 * KIB), 10 * KIB);
    const conversion: Conversion = { content: null, error: null, reads: content.reads, gone: new AbortController() };
    contents.convert(content, { accountId, gone: conversion.gone.signal }).then(
      (converted) => {
        conversion.content = converted;
      },
      (error: Error) => {
        conversion.error = error.message;
      },
    );
    return conversion;
  };
  return { clock, contents, begin, several: (count: number) => Array.from({ length: count }, () => begin()) };
}

/** Longer than any conversion takes. */
async function settled(): Promise<void> {
  for (let i = 0; i < 500; i += 1) await nextIteration();
}

describe("the memory of contents in 7 bits", () => {
  it("lets some of an account's attempts hold one, and others when these have ended", async () => {
    const { several, begin } = stage();
    const all = several(5);
    await settled();
    const done = () => all.map(({ content }) => content !== null);
    assert.deepEqual(done(), [true, true, false, false, false], "half of the memory");
    assert.deepEqual(
      all.map(({ reads }) => reads.length > 0),
      done(),
      "those that wait hold nothing but their first part",
    );
    const other = begin("acc_b");
    await settled();
    assert.notEqual(other.content, null);
    all[0]?.content?.release();
    await settled();
    assert.deepEqual(done(), [true, true, true, false, false]);
  });

  it("is not waited for beyond a minute", async () => {
    const { several, clock } = stage();
    const all = several(3);
    await settled();
    await clock.advance(59_000);
    assert.equal(all[2]?.error, null);
    await clock.advance(1000);
    assert.match(all[2]?.error ?? "", /no memory/);
  });

  it("is free again after a content that is damaged, and an attempt that ends while it waits", async () => {
    const { several, contents } = stage();
    const damaged = stored(FLAT, 10 * KIB, () => Promise.reject(new MessageDamaged("a part has changed")));
    for (let i = 0; i < 5; i += 1) await assert.rejects(contents.convert(damaged, request()), MessageDamaged);
    const all = several(4);
    await settled();
    all[2]?.gone.abort();
    await settled();
    assert.match(all[2]?.error ?? "", /gone/);
    all[0]?.content?.release();
    await settled();
    assert.notEqual(all[3]?.content, null);
  });
});
