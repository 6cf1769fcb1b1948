/** Packed reports: every form in which receivers send them, and those that are made to exhaust the memory. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { gzipSync } from "node:zlib";
import { PACKED_BYTES_MAX, UNPACKED_BYTES_MAX, unpack } from "../../../src/message/reports/unpack.ts";
import { UnreadableReport, type UnreadReason } from "../../../src/message/reports/unreadable-report.ts";
import { zip } from "./samples.ts";

/** What is unpacked, or why it is not. */
async function unpacked(packed: Buffer): Promise<Buffer | UnreadReason> {
  try {
    const chunks: Buffer[] = [];
    for await (const chunk of unpack(packed)) chunks.push(chunk);
    return Buffer.concat(chunks);
  } catch (error) {
    if (error instanceof UnreadableReport) return error.reason;
    throw error;
  }
}

const CONTENT = Buffer.from("<feedback/>".repeat(1000));
const file = (name = "report.xml", content = CONTENT) => ({ name, content });

describe("unpacking", () => {
  it("returns the content of gzip, of a zip archive's file, and of what is not packed", async () => {
    assert.deepEqual(await unpacked(gzipSync(CONTENT)), CONTENT);
    assert.deepEqual(await unpacked(zip([file()])), CONTENT);
    assert.deepEqual(await unpacked(zip([{ ...file(), isStored: true }], "a comment")), CONTENT);
    assert.deepEqual(await unpacked(CONTENT), CONTENT);
  });

  it("rejects an archive of no file, or of several", async () => {
    assert.equal(await unpacked(zip([file("one.xml"), file("two.xml")])), "several_files");
    const empty = zip([]);
    assert.deepEqual(await unpacked(empty), empty, "an empty archive is no archive that a report comes in");
  });

  it("rejects archives that are encrypted, packed otherwise, cut or damaged", async () => {
    assert.equal(await unpacked(zip([{ ...file(), says: { flags: 1 } }])), "damaged_archive");
    assert.equal(await unpacked(zip([{ ...file(), says: { method: 12 } }])), "damaged_archive");
    assert.equal(await unpacked(zip([{ ...file(), says: { crc: 1 } }])), "damaged_archive");
    assert.equal(await unpacked(zip([{ ...file(), says: { sizeBytes: CONTENT.length + 1 } }])), "damaged_archive");
    const archive = zip([file()]);
    for (let length = 22; length < archive.length; length += 1)
      assert.equal(await unpacked(archive.subarray(0, length)), "damaged_archive");
    assert.equal(await unpacked(gzipSync(CONTENT).subarray(0, 30)), "damaged_archive");
  });

  it("rejects a zip bomb by its stated size, and one that states less than it has", async () => {
    const bomb = Buffer.alloc(UNPACKED_BYTES_MAX + 1);
    assert.equal(await unpacked(zip([file("bomb.xml", bomb)])), "too_large");
    const lying = zip([{ ...file("bomb.xml", bomb), says: { sizeBytes: 1000 } }]);
    const before = process.memoryUsage().arrayBuffers;
    assert.equal(await unpacked(lying), "too_large");
    assert.ok(process.memoryUsage().arrayBuffers - before < 1024 * 1024);
  });

  it("rejects a gzip bomb at the limit, also one of many members", async () => {
    assert.equal(await unpacked(gzipSync(Buffer.alloc(UNPACKED_BYTES_MAX + 1))), "too_large");
    const member = gzipSync(Buffer.alloc(10 * 1024 * 1024));
    assert.equal(await unpacked(Buffer.concat(new Array<Buffer>(100).fill(member))), "too_large");
  });

  it("does not unpack what was packed twice", async () => {
    const inner = gzipSync(CONTENT);
    assert.deepEqual(await unpacked(gzipSync(inner)), inner);
    assert.deepEqual(await unpacked(zip([file("report.xml.gz", inner)])), inner);
  });

  it("rejects what is too large before it is unpacked", async () => {
    assert.equal(await unpacked(Buffer.alloc(PACKED_BYTES_MAX + 1)), "too_large");
  });
});
