/** The bodies of a stored message, as its sender gave them, of any content. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { BODY_BYTES_MAX, bodiesOf } from "../../../src/message/reading/message-bodies.ts";
import { composedMessage as composed } from "../../support/composed-message.ts";

test("text, HTML and Reply-To of a composed message are returned as they were sent", () => {
  const text = `Grüße = so\n\nlang wie ${"x".repeat(200)}  \n.`;
  const html = `<p>${"Grüße, ".repeat(40)}</p>\n<p>.</p>`;
  const reply_to = ["help@shop.example", "Grüße <hallo@shop.example>", '"Doe, Jane" <jane@shop.example>'];
  const attachments = [{ filename: "a.txt", content: Buffer.from("attached").toString("base64") }];
  assert.deepEqual(bodiesOf(composed({ text, html, reply_to, attachments })), {
    text,
    html,
    fromName: null,
    replyTo: ["help@shop.example", "hallo@shop.example", "jane@shop.example"],
  });
  assert.deepEqual(bodiesOf(composed({ text: "Hi" })), { text: "Hi", html: null, fromName: null, replyTo: [] });
  assert.deepEqual(bodiesOf(composed({ html: "<b>Hi</b>\n" })), {
    text: null,
    html: "<b>Hi</b>",
    fromName: null,
    replyTo: [],
  });
});

test("the name of the author is returned, decoded", () => {
  assert.equal(bodiesOf(composed({ from: '"Grüße, Shop" <a@sender.example>', text: "x" })).fromName, "Grüße, Shop");
});

test("a body that is too long is not returned, nor cut", () => {
  const [long, longest] = ["é".repeat(BODY_BYTES_MAX / 2), "é".repeat(BODY_BYTES_MAX / 2 + 1)];
  assert.equal(bodiesOf(composed({ text: long, html: "<b>Hi</b>" })).text, long);
  const { text, html } = bodiesOf(composed({ text: longest, html: "<b>Hi</b>" }));
  assert.deepEqual([text, html], [null, "<b>Hi</b>"]);
});

test("contents that no client composed", () => {
  const of = (...lines: string[]) => bodiesOf(Buffer.from(lines.join("\r\n"), "latin1"));
  const latin = of(
    "Content-Type: text/html; charset=iso-8859-1",
    "reply-to:",
    " a@b.example,",
    "\tgroup: c@d.example;",
    "",
    "gr\xfcn",
  );
  assert.deepEqual(latin, { text: null, html: "grün", fromName: null, replyTo: ["a@b.example", "c@d.example"] });
  assert.deepEqual(of("Reply-To: nobody", "", ""), { text: "", html: null, fromName: null, replyTo: [] });
  assert.deepEqual(of(""), { text: "", html: null, fromName: null, replyTo: [] });
  assert.deepEqual(of("X: Reply-To: a@b.example", "", "Reply-To: c@d.example").replyTo, []);
});

test("a hostile Reply-To takes no time", () => {
  const filler = [",", "<", '"', "(", "a@b.example,", "\r\n ", ":;"];
  for (const each of filler) bodiesOf(Buffer.from(`Reply-To: ${each.repeat(4_000_000 / each.length)}`));
});
