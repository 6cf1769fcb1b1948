/** Fields of a header for tests. */
import assert from "node:assert/strict";
import { type HeaderField, headerFields } from "../../../src/message/header/header-fields.ts";

/** The fields of a header with these lines. */
export function fieldsOf(...lines: string[]): HeaderField[] {
  const header = headerFields(Buffer.from(`${lines.join("\r\n")}\r\n\r\n`));
  assert.ok(header.type === "valid", JSON.stringify(header));
  return header.fields;
}
