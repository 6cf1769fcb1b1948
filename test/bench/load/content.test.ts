import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import {
  afterRecipients,
  built,
  type Content,
  fileContent,
  orderContent,
  textContent,
} from "../../../bench/load/content.ts";
import { textParts } from "../../../src/message/reading/text-parts.ts";

const requestOf = (content: Content) =>
  JSON.parse(`{"from":"a@shop.example","to":["b@a.example"${afterRecipients(content)}`);

test("the text after the recipients completes a request", () => {
  const { from, to, text } = requestOf(textContent("text", 1000));
  assert.deepEqual({ from, to }, { from: "a@shop.example", to: ["b@a.example"] });
  assert.ok(text.length >= 1000 && text.length < 1100);
});

test("a built message has CRLF line ends and all of the text", () => {
  const content = textContent("text", 5000);
  const lines = content.fields.text?.split("\n") ?? [];
  const body = built(content).toString("latin1").split("\r\n\r\n")[1] ?? "";
  assert.equal(body, lines.join("\r\n"));
});

test("a file is attached in base64", () => {
  const file = randomBytes(3000);
  const message = built(fileContent("file", file)).toString("latin1").replaceAll("\r\n", "");
  assert.ok(message.includes(file.toString("base64")));
});

test("an order has an HTML and a text part of the requested size, with non-ASCII characters in the HTML", () => {
  const bytes = 20_000;
  const content = orderContent("order", bytes);
  const { html = "", text = "" } = content.fields;
  for (const part of [html, text]) {
    const size = Buffer.byteLength(part);
    assert.ok(size >= bytes && size < bytes * 1.1, `${size} bytes`);
  }
  assert.match(html, /[^\0-\x7f]/);
  const parts = textParts(built(content));
  assert.equal(parts.html?.encoding, "quoted-printable");
  assert.equal(parts.plain?.encoding, "7bit");
});
