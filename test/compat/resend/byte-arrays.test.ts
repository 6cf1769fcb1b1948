/** Contents as arrays of bytes become base64, and nothing else of a JSON text changes. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { encodeByteArrays } from "../../../src/compat/resend/byte-arrays.ts";

const encoded = (json: string): string => encodeByteArrays(Buffer.from(json)).toString();

test("arrays of bytes that are a content, or the data of one, become base64", () => {
  assert.equal(encoded('{"content":[72,105]}'), '{"content":"SGk="}');
  assert.equal(encoded('{"content":[]}'), '{"content":""}');
  assert.equal(encoded('{ "content" :\n[ 0 ,\t255 ,7 ] , "a":1}'), '{ "content" :\n"AP8H" , "a":1}');
  assert.equal(encoded('{"content":{"type":"Buffer","data":[72,105]}}'), '{"content":{"type":"Buffer","data":"SGk="}}');
  assert.equal(
    encoded('[{"content":[1]},{"content":"x"},{"content":[2]}]'),
    '[{"content":"AQ=="},{"content":"x"},{"content":"Ag=="}]',
  );
});

test("anything else is left as it is", () => {
  for (const json of [
    '{"to":[1,2],"content":"SGk="}',
    '{"content":[256]}',
    '{"content":[-1]}',
    '{"content":[1.5]}',
    '{"content":[1e1]}',
    '{"content":[01]}',
    '{"content":[1,]}',
    '{"content":[,1]}',
    '{"content":[1 2]}',
    '{"content":["a",1]}',
    '{"content":[[1]]}',
    '{"content":[1,2',
    '{"content":',
    '{"content"',
    '"content":[1]"',
    '{"text":"\\"content\\":[1]","content":null}',
    '{"text":"\\\\\\"content","content":7}',
    '{"content":[11111111111111111111]}',
    "",
  ]) {
    assert.equal(encoded(json), json === '"content":[1]"' ? '"content":"AQ=="' + '"' : json, json);
  }
});

test("any JSON with such contents is equal to the one with base64", () => {
  const content = fc.uint8Array({ maxLength: 40 }).map((bytes) => [...bytes]);
  const attachment = fc.record({ filename: fc.string(), content });
  const body = fc.record({ text: fc.string(), "a\\": fc.json(), attachments: fc.array(attachment) });
  fc.assert(
    fc.property(body, fc.nat(3), (value, indent) => {
      const attachments = value.attachments.map((each) => ({
        ...each,
        content: Buffer.from(each.content).toString("base64"),
      }));
      assert.deepEqual(JSON.parse(encoded(JSON.stringify(value, null, indent))), { ...value, attachments });
    }),
  );
});

test("contents of megabytes are encoded in less memory than they are written in, and hostile texts in linear time", () => {
  const bytes = Buffer.alloc(500_000, 255);
  const json = Buffer.from(`{"content":[${[...bytes].join(",")}]}`);
  assert.equal(JSON.parse(encodeByteArrays(json).toString()).content, bytes.toString("base64"));
  for (const filler of ['"content":[', '"content":[1,', '"\\\\', '\\"', '"content"', "[", '"content": ']) {
    encodeByteArrays(Buffer.from(`{"content":[1],${filler.repeat(1_000_000 / filler.length)}`));
  }
});
