/** Packed reports: every form in which receivers send them, and those that are made to exhaust the memory. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { gzipSync } from "node:zlib";
import { PACKED_BYTES_MAX, UNPACKED_BYTES_MAX, unpack } from "../../../src/message/reports/unpack.ts";
import { zip } from "./samples.ts";

const CONTENT = Buffer.from("<feedback/>".repeat(1000));
const file = (name = "report.xml", content = CONTENT) => ({ name, content });

describe("unpacking", () => {
  it("returns the content of gzip, of a zip archive's file, and of what is not packed", () => {
    assert.deepEqual(unpack(gzipSync(CONTENT)), CONTENT);
    assert.deepEqual(unpack(zip([file()])), CONTENT);
    assert.deepEqual(unpack(zip([{ ...file(), isStored: true }], "a comment")), CONTENT);
    assert.deepEqual(unpack(CONTENT), CONTENT);
  });

  it("rejects an archive of no file, or of several", () => {
    assert.equal(unpack(zip([file("one.xml"), file("two.xml")])), null);
    const empty = zip([]);
    assert.deepEqual(unpack(empty), empty, "an empty archive is no archive that a report comes in");
  });

  it("rejects archives that are encrypted, packed otherwise, cut or damaged", () => {
    assert.equal(unpack(zip([{ ...file(), says: { flags: 1 } }])), null);
    assert.equal(unpack(zip([{ ...file(), says: { method: 12 } }])), null);
    assert.equal(unpack(zip([{ ...file(), says: { crc: 1 } }])), null);
    assert.equal(unpack(zip([{ ...file(), says: { sizeBytes: CONTENT.length + 1 } }])), null);
    const archive = zip([file()]);
    for (let length = 22; length < archive.length; length += 1) assert.equal(unpack(archive.subarray(0, length)), null);
    assert.equal(unpack(gzipSync(CONTENT).subarray(0, 30)), null);
  });

  it("rejects a zip bomb by its stated size, and one that states less than it has", () => {
    const bomb = Buffer.alloc(UNPACKED_BYTES_MAX + 1);
    assert.equal(unpack(zip([file("bomb.xml", bomb)])), null);
    const lying = zip([{ ...file("bomb.xml", bomb), says: { sizeBytes: 1000 } }]);
    const before = process.memoryUsage().arrayBuffers;
    assert.equal(unpack(lying), null);
    assert.ok(process.memoryUsage().arrayBuffers - before < 1024 * 1024);
  });

  it("rejects a gzip bomb at the limit, also one of many members", () => {
    assert.equal(unpack(gzipSync(Buffer.alloc(UNPACKED_BYTES_MAX + 1))), null);
    const member = gzipSync(Buffer.alloc(10 * 1024 * 1024));
    assert.equal(unpack(Buffer.concat(new Array<Buffer>(100).fill(member))), null);
  });

  it("does not unpack what was packed twice", () => {
    const inner = gzipSync(CONTENT);
    assert.deepEqual(unpack(gzipSync(inner)), inner);
    assert.deepEqual(unpack(zip([file("report.xml.gz", inner)])), inner);
  });

  it("rejects what is too large before it is unpacked", () => {
    assert.equal(unpack(Buffer.alloc(PACKED_BYTES_MAX + 1)), null);
  });
});
