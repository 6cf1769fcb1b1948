/** Images of the message itself in its HTML: shown as data URLs, within limits, and nothing but images. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { INLINE_LENGTH_MAX, withInlineImages } from "../../../src/message/reading/inline-images.ts";
import { composedMessage, multipartMessage } from "../../support/composed-message.ts";

const PNG = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGNgYPj/HwADAgH/pZ8+4wAAAABJRU5ErkJggg==",
  "base64",
);
const URL_OF_PNG = `data:image/png;base64,${PNG.toString("base64")}`;
const SVG = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>');

const attachment = (content_id: string, content: Buffer, content_type = "image/png") => ({
  filename: "f",
  content: content.toString("base64"),
  content_type,
  content_id,
});

const contentWith = (...attachments: object[]): Buffer => composedMessage({ html: "<p>", attachments });

test("uses of the message's images are replaced, in attributes and in CSS", () => {
  const content = contentWith(attachment("logo@shop", PNG), attachment("a&b", PNG));
  const replaced: [string, string][] = [
    ['<img src="cid:logo@shop">', `<img src="${URL_OF_PNG}">`],
    ["<img src='CID:logo@shop'>", `<img src='${URL_OF_PNG}'>`],
    ["<img src=cid:logo@shop>", `<img src=${URL_OF_PNG}>`],
    ['<img src="cid:logo%40shop">', `<img src="${URL_OF_PNG}">`],
    ['<img src="cid:a&amp;b">', `<img src="${URL_OF_PNG}">`],
    ["url(cid:logo@shop)", `url(${URL_OF_PNG})`],
    ['style="background: url(&quot;cid:logo@shop&quot;)"', `style="background: url(&quot;${URL_OF_PNG}&quot;)"`],
    ['srcset="cid:logo@shop 1x, cid:logo@shop 2x"', `srcset="${URL_OF_PNG} 1x, ${URL_OF_PNG} 2x"`],
  ];
  for (const [html, expected] of replaced) assert.equal(withInlineImages(html, content), expected);
  for (const html of ["<p>cid:logo@shop</p>", '<img src="cid:other">', '<img src="cid:%zz">', "<p>no use</p>"]) {
    assert.equal(withInlineImages(html, content), html);
  }
});

test("the type is that of the bytes: SVG, HTML and anything else is left out", () => {
  const gif = Buffer.from("GIF89a");
  const content = contentWith(
    attachment("gif", gif, "text/html"),
    attachment("svg", SVG, "image/svg+xml"),
    attachment("false", SVG),
    attachment("html", Buffer.from("<script>alert(1)</script>"), "text/html"),
  );
  const shown = (id: string): string => withInlineImages(`<img src="cid:${id}">`, content);
  assert.equal(shown("gif"), `<img src="data:image/gif;base64,${gif.toString("base64")}">`);
  for (const id of ["svg", "false", "html"]) assert.equal(shown(id), `<img src="cid:${id}">`);
});

test("a content ID cannot break out of its place", () => {
  const content = multipartMessage(['Content-ID: <"><script>x</script>', "", PNG.toString("latin1")]);
  const html = '<img src="cid:&quot;><script>x</script>">';
  assert.equal(withInlineImages(html, content), html);
});

test("all uses together have a limit", () => {
  const large = Buffer.concat([PNG, Buffer.alloc(1024 * 1024)]);
  const content = contentWith(attachment("large", large), attachment("small", PNG));
  const html = withInlineImages(`${'<img src="cid:large">'.repeat(100)}<img src="cid:small">`, content);
  assert.ok(html.length < INLINE_LENGTH_MAX + 10_000);
  assert.equal(html.split("data:image/png").length - 1, 6);
  assert.ok(html.endsWith(`<img src="${URL_OF_PNG}">`), "a smaller one may still follow");
});

test("hostile HTML takes linear time", () => {
  const content = contentWith(attachment("x", PNG));
  for (const filler of ['"cid:', "=cid:x ", "= ", "cid:", "(cid:&amp;", "&amp;"]) {
    const html = filler.repeat(500_000 / filler.length);
    assert.ok(withInlineImages(`${html}cid:`, content).length <= INLINE_LENGTH_MAX + html.length + 4, filler);
  }
});
