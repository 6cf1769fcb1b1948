/** Records of comma-separated values: quotes, and cells that a spreadsheet would take for formulas. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { csvRecord } from "../../src/lib/csv.ts";

test("a record quotes what needs it, and ends with CRLF", () => {
  assert.equal(
    csvRecord(["a", "b c", 'say "hi"', "1,2", "x\ny", "", null, undefined, -7, true]),
    'a,b c,"say ""hi""","1,2","x\ny",,,,-7,true\r\n',
  );
});

test("a text that a spreadsheet would take for a formula is marked as text", () => {
  for (const begin of ["=", "+", "-", "@", "\t"]) assert.equal(csvRecord([`${begin}1`]), `'${begin}1\r\n`);
  assert.equal(csvRecord(["\r=1"]), `"'\r=1"\r\n`);
  assert.equal(csvRecord(["=a,b"]), `"'=a,b"\r\n`);
  assert.equal(csvRecord(["a=1"]), "a=1\r\n");
});
