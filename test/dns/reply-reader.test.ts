/** Replies as octets: what is read of them, what is passed over, and what makes them malformed. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { RECORDS_MAX, TXT_BYTES_MAX } from "../../src/dns/answer-limits.ts";
import { A, AAAA, MX, type RecordKind, TXT } from "../../src/dns/record-data.ts";
import { type DnsMessage, readMessage, readName, unlessMalformed } from "../../src/dns/reply-reader.ts";

const QUESTION_AT = 12;
/** The owner as a pointer to the question. */
const SAME = Buffer.from([0xc0, QUESTION_AT]);

const u16 = (number: number): Buffer => Buffer.from([number >> 8, number & 0xff]);
const wireName = (name: string): Buffer =>
  Buffer.concat([
    ...name.split(".").map((label) => Buffer.concat([Buffer.from([label.length]), Buffer.from(label)])),
    Buffer.from([0]),
  ]);

interface Rr {
  owner?: Buffer;
  type: number;
  class?: number;
  data: Buffer;
}

const rr = ({ owner = SAME, type, class: recordClass = 1, data }: Rr): Buffer =>
  Buffer.concat([owner, u16(type), u16(recordClass), Buffer.alloc(4), u16(data.length), data]);

function reply(type: number, records: Buffer[], count = records.length): Buffer {
  const head = Buffer.concat([u16(7), u16(0x81a0), u16(1), u16(count), u16(0), u16(0)]);
  return Buffer.concat([head, wireName("Mail.test"), u16(type), u16(1), ...records]);
}

const messageOf = (bytes: Buffer, kind: RecordKind<unknown>): DnsMessage =>
  readMessage(bytes, kind.type) ?? assert.fail("malformed");

const recordsOf = <T>(bytes: Buffer, kind: RecordKind<T>) => kind.read(bytes, messageOf(bytes, kind).answers);

describe("a reply", () => {
  it("has a header, a question and the records of its type and of aliases", () => {
    const bytes = reply(1, [
      rr({ type: 1, data: Buffer.from([192, 0, 2, 1]) }),
      rr({ type: 46, data: Buffer.alloc(40) }),
      rr({ type: 1, class: 3, data: Buffer.alloc(4) }),
      rr({ type: 5, owner: wireName("Alias.test"), data: SAME }),
    ]);
    const { answers, bytes: _, ...header } = messageOf(bytes, A);
    assert.deepEqual(header, {
      id: 7,
      isResponse: true,
      isTruncated: false,
      isAuthentic: true,
      rcode: 0,
      questionCount: 1,
      question: { name: "mail.test", type: 1 },
    });
    assert.deepEqual(
      answers.map(({ owner, type }) => [owner, type]),
      [
        ["mail.test", 1],
        ["alias.test", 5],
      ],
    );
  });

  it("is malformed if a record, a name or the header ends behind it", () => {
    const whole = reply(1, [rr({ type: 1, data: Buffer.from([192, 0, 2, 1]) })]);
    assert.notEqual(readMessage(whole, "A"), null);
    for (let length = 0; length < whole.length; length += 1) {
      assert.equal(readMessage(whole.subarray(0, length), "A"), null, String(length));
    }
    assert.equal(readMessage(reply(1, [], 1), "A"), null);
  });

  it("that is truncated has no answer, however much of it is missing", () => {
    const bytes = reply(1, [], 40);
    bytes[2] = (bytes[2] ?? 0) | 0x02;
    const { isTruncated, answers } = messageOf(bytes, A);
    assert.deepEqual([isTruncated, answers], [true, []]);
  });

  it("has the addresses of an answer, and none of a wrong length", () => {
    const six = Buffer.from("20010db8000000000000000000000001", "hex");
    const mapped = Buffer.from("00000000000000000000ffffc0000201", "hex");
    const records = [six, mapped].map((data) => rr({ type: 28, data }));
    assert.deepEqual(recordsOf(reply(28, records), AAAA).records, ["2001:db8::1", "::ffff:c000:201"]);
    const short = reply(1, [rr({ type: 1, data: Buffer.alloc(3) })]);
    assert.equal(
      unlessMalformed(() => recordsOf(short, A)),
      null,
    );
  });

  it("has the text of a record whose strings fill it, and no other", () => {
    const text = (data: Buffer) => reply(16, [rr({ type: 16, data })]);
    assert.deepEqual(recordsOf(text(Buffer.from("\x02ab\x00\x01\xe9", "latin1")), TXT), { records: ["abé"] });
    assert.equal(
      unlessMalformed(() => recordsOf(text(Buffer.from("\x05ab")), TXT)),
      null,
    );
    const empty = Buffer.alloc(60_000);
    assert.deepEqual(recordsOf(text(empty), TXT), { records: [""] });
    const long = Buffer.concat(Array(17).fill(Buffer.concat([Buffer.from([255]), Buffer.alloc(255, "x")])));
    const omitted = { longestOctets: 17 * 255, furtherRecords: 0 };
    assert.ok(omitted.longestOctets > TXT_BYTES_MAX);
    assert.deepEqual(recordsOf(text(long), TXT), { records: [], omitted });
  });

  it("has the names of the lowest preferences alone, whatever the others hold", () => {
    const broken = u16(0xc0ff);
    const worse = rr({ type: 15, data: Buffer.concat([u16(9), broken]) });
    const better = rr({ type: 15, data: Buffer.concat([u16(1), SAME]) });
    const { records, omitted } = recordsOf(
      reply(15, [...Array(3000).fill(worse), ...Array(RECORDS_MAX).fill(better)]),
      MX,
    );
    assert.deepEqual(records, Array(RECORDS_MAX).fill({ exchange: "mail.test", preference: 1 }));
    assert.deepEqual(omitted, { longestOctets: 0, furtherRecords: 3000 });
  });

  it("has no more than 32 spellings of owners", () => {
    const owners = Array.from({ length: 3000 }, (_, i) =>
      rr({ type: 1, owner: wireName(`x${i}.test`), data: Buffer.alloc(4) }),
    );
    const { answers } = messageOf(reply(1, owners), A);
    assert.deepEqual(
      answers.map(({ owner }) => owner),
      Array.from({ length: 32 }, (_, i) => `x${i}.test`),
    );
  });
});

describe("a name", () => {
  it("may end with a pointer to an earlier name, and with no other", () => {
    const bytes = Buffer.concat([wireName("a.test"), Buffer.from("\x01b", "latin1"), Buffer.from([0xc0, 2])]);
    assert.equal(readName(bytes, 8), "b.test");
    for (const pointers of [
      [0xc0, 0],
      [0xc0, 2, 0xc0, 0],
      [0xc0, 3, 0, 0],
    ]) {
      assert.equal(
        unlessMalformed(() => readName(Buffer.from(pointers), 0)),
        null,
      );
    }
    assert.equal(
      unlessMalformed(() => readName(Buffer.from([0x41, 0]), 0)),
      null,
      "an unknown kind of label",
    );
  });

  it("has at most 255 octets", () => {
    const ofOctets = (octets: number) =>
      Buffer.concat([...Array((octets - 1) / 2).fill(Buffer.from("\x01a")), Buffer.from([0])]);
    assert.equal(readName(ofOctets(255), 0).length, 253);
    assert.equal(
      unlessMalformed(() => readName(ofOctets(257), 0)),
      null,
    );
  });

  it("shows what a label holds that would change the name", () => {
    assert.equal(readName(Buffer.from("\x07a.b \\\x00\n\x04test\x00"), 0), "a\\.b\\032\\\\\\000\\010.test");
    assert.equal(readName(Buffer.from([0]), 0), "");
  });
});
