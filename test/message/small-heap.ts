/**
 * Parses, hashes and composes requests of 10 MB that need the most memory. draft.memory.test.ts runs this program with a small
 * heap. The argument is appended to each text.
 */
import { ok } from "node:assert/strict";
import { parseDraft } from "../../src/message/compose/draft.ts";

const MB = 1024 * 1024;
const OPTIONS = { recipientsMax: 50, token: "token", dateMs: 0, boundary: "boundary" };

/** In JSON notation. */
const FRAGMENTS = ["é\\n", "é=\\n", "\\n", "\\r\\n", "a\\n", "=", "=é", "日本\\n", "😀", " ", "x"];

/** Builds JSON with a string of `sizeBytes` bytes, without creating that string. */
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
  const result = parseDraft(body, OPTIONS);
  if (result.type === "invalid") throw new Error(JSON.stringify(result.error));
  result.draft.payloadHash();
  ok(result.draft.content().bytes.length > MB);
}

const HEAD = '{"from":"a@b.example","to":"a@b.example","subject":"s"';
const [last = ""] = process.argv.slice(2);
for (const fragment of FRAGMENTS) compose(bodyWith(fragment, [`${HEAD},"text":"`, `${last}"}`], 10 * MB));
for (const fragment of ["Q U J D ", "QUJD", "QUJDQUJD\\r\\n"]) {
  const file = `${HEAD},"text":"${last}","attachments":[{"filename":"a","content":"`;
  compose(bodyWith(fragment, [file, '"}]}'], 10 * MB));
}
