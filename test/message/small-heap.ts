/**
 * Reads, hashes and composes requests of 10 MB that are shaped to take the most memory. draft-memory.test.ts runs it with a small
 * heap. The argument ends each text.
 */
import { ok } from "node:assert/strict";
import { readDraft } from "../../src/message/draft.ts";

const MB = 1024 * 1024;
const OPTIONS = { recipientsMax: 50, token: "token", dateMs: 0, boundary: "boundary" };

/** As they stand in JSON. */
const FRAGMENTS = ["é\\n", "é=\\n", "\\n", "\\r\\n", "a\\n", "=", "=é", "日本\\n", "😀", " ", "x"];

/** JSON with a string of `sizeBytes` bytes, without a string of its own. */
function bodyWith(fragment: string, parts: [before: string, after: string], sizeBytes: number): Buffer {
  const [before, after] = parts;
  const size = Buffer.byteLength(fragment);
  return Buffer.concat([
    Buffer.from(before),
    Buffer.alloc(sizeBytes - (sizeBytes % size), fragment),
    Buffer.from(after),
  ]);
}

function compose(body: Buffer): void {
  const read = readDraft(body, OPTIONS);
  if (read.type === "rejected") throw new Error(JSON.stringify(read.fault));
  read.draft.payloadHash();
  ok(read.draft.content().length > MB);
}

const HEAD = '{"from":"a@b.example","to":"a@b.example","subject":"s"';
const [last = ""] = process.argv.slice(2);
for (const fragment of FRAGMENTS) compose(bodyWith(fragment, [`${HEAD},"text":"`, `${last}"}`], 10 * MB));
for (const fragment of ["Q U J D ", "QUJD", "QUJDQUJD\\r\\n"]) {
  const file = `${HEAD},"text":"${last}","attachments":[{"filename":"a","content":"`;
  compose(bodyWith(fragment, [file, '"}]}'], 10 * MB));
}
