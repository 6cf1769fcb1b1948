/** Header fields in ASCII: text becomes encoded words; addresses, identifiers and fields in ASCII stay. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isAscii } from "../../../src/message/address.ts";
import { decodeWords } from "../../../src/message/encoded-words.ts";
import { inAscii } from "../../../src/message/submitted/ascii-field.ts";
import { singleMailbox } from "../../../src/message/submitted/single-mailbox.ts";
import { fieldsOf } from "./fields.ts";

function converted(...lines: string[]): string {
  const [field] = fieldsOf(...lines);
  assert.ok(field !== undefined);
  return inAscii(field);
}

/** The field as a reader shows it, with single spaces. */
const shown = (text: string): string => decodeWords(text.replaceAll("\r\n", "")).replace(/ +/g, " ").trim();

function assertShown(line: string, expected = line): void {
  const text = converted(line);
  assert.ok(isAscii(text), text);
  assert.equal(shown(text), expected);
  for (const each of text.trimEnd().split("\r\n")) assert.ok(each.length <= 78, each);
}

describe("a field in ASCII", () => {
  it("is not changed, with its folds and white space", () => {
    for (const lines of [["Subject:  a", "\tb "], ["to: a@b.example,", " c@d.example"], ["X-Empty:"]]) {
      assert.equal(converted(...lines), `${lines.join("\r\n")}\r\n`);
    }
  });
});

describe("text in UTF-8", () => {
  it("becomes encoded words in lines of at most 78 octets", () => {
    assertShown("Subject: Bestellung bestätigt ☂");
    assertShown(`Subject: ${"Grüße an alle Kundinnen und Kunden ".repeat(12).trim()}`);
    assertShown("X-Note: 注文を確認してください");
  });
});

describe("names in UTF-8", () => {
  it("become encoded words, and their addresses stay", () => {
    const text = converted("From: Jörg Müller <hello@shop.example>");
    assert.match(text, /^From: =\?UTF-8\?[QB]\?\S+\?= +<hello@shop\.example>\r\n$/);
    assert.equal(shown(text), "From: Jörg Müller <hello@shop.example>");
  });

  it("lose their quotes and backslashes, which encoded words do not need", () => {
    assertShown('From: "Müller, Jörg" <hello@shop.example>', "From: Müller, Jörg <hello@shop.example>");
    assertShown('From: "Jörg \\"J\\" \\\\" <hello@shop.example>', 'From: Jörg "J" \\ <hello@shop.example>');
    assert.doesNotMatch(converted('From: "Müller, Jörg" <hello@shop.example>'), /,/);
    assertShown('From: "jörg@home" <hello@shop.example>', "From: jörg@home <hello@shop.example>");
  });

  it("are encoded in lists and groups, whose separators stay", () => {
    assertShown("To: Jörg <a@b.example>, c@d.example, Ada <e@f.example>, Änne <g@h.example>");
    assertShown("Cc: Größen: Jörg <a@b.example>, c@d.example;", "Cc: Größen : Jörg <a@b.example>, c@d.example;");
  });
});

describe("what has no encoded form", () => {
  it("stays: addresses, quoted local parts and fields without text", () => {
    const lines = [
      "To: jörg@customers.example",
      "To: <jörg@customers.example>",
      'To: "jörg m"@customers.example',
      "Message-ID: <jörg@shop.example>",
      "References: <ü@shop.example>",
    ];
    for (const line of lines) assert.equal(converted(line), `${line}\r\n`);
  });

  it("stays beside a name that is encoded", () => {
    const text = converted('To: Jörg <jörg@customers.example>, "ä b"@customers.example');
    assert.equal(shown(text), 'To: Jörg <jörg@customers.example>, "ä b"@customers.example');
    assert.match(text, /=\?UTF-8\?/);
  });
});

describe("comments", () => {
  const SENDER = "hello@shop.example";

  it("stay comments, and an address in one does not become the field's", () => {
    for (const comment of [
      "(x <ceo@bank.example>)",
      "(a (b, ceo@bank.example, c) d)",
      '(" <ceo@bank.example> ")',
      "(\\) <a@b>)",
    ]) {
      for (const value of [`ü ${comment} <${SENDER}>`, `${comment} ü <${SENDER}>`, `<${SENDER}> ${comment} (ü)`]) {
        const text = converted(`From: ${value}`);
        assert.ok(isAscii(text), text);
        assert.ok(text.includes(comment), text);
        const read = singleMailbox(text.slice("From:".length).replaceAll("\r\n", ""));
        assert.equal(read.type === "valid" && read.address, SENDER, text);
      }
    }
  });

  it("in UTF-8 become encoded words within their parentheses", () => {
    const text = converted(`From: ${SENDER} (Jörg \\(J\\) <ceo@bank.example> (x))`);
    assert.match(
      text,
      /^From: hello@shop\.example \(=\?UTF-8\?Q\?[!-'*-~]+\?=(?:\r\n =\?UTF-8\?Q\?[!-'*-~]+\?=)*\)\r\n$/,
    );
    assert.equal(shown(text), `From: ${SENDER} (Jörg (J) <ceo@bank.example> (x))`);
  });
});

describe("a folded field", () => {
  it("has no line of more than 998 octets afterwards, and all its text", () => {
    const word = `"${"a".repeat(30)} ${"b".repeat(30)}"`;
    for (const run of [word, "x".repeat(980), "ж@", '"', " ".repeat(979), `\t${"y".repeat(500)}`]) {
      const lines = ["To: ü,", ...Array.from({ length: 50 }, () => ` ${run}`), " <you@customers.example>"];
      const text = converted(...lines);
      for (const line of text.trimEnd().split("\r\n")) {
        assert.ok(
          Buffer.byteLength(line) <= 998,
          `${Buffer.byteLength(line)} octets of ${JSON.stringify(run.slice(0, 5))}`,
        );
        assert.notEqual(line.trim(), "");
      }
      assert.equal(shown(text).replace(/[ "\t]/g, ""), lines.join("").replace(/[ "\t]/g, ""));
    }
  });
});

describe("a field that is not well formed", () => {
  it("keeps each character, of long runs too", () => {
    const open = "<".repeat(900);
    const quotes = `"${'\\"'.repeat(450)}x`;
    for (const run of [open, quotes, ">".repeat(900), '"<'.repeat(450), "\\".repeat(900)]) {
      const lines = ["To: ü", ...Array.from({ length: 100 }, () => ` ${run}`)];
      const text = converted(...lines);
      assert.equal(
        shown(text).replace(/ /g, ""),
        lines.join("").replaceAll(" ", ""),
        `a run of ${JSON.stringify(run.slice(0, 4))}`,
      );
    }
  });

  it("has its name encoded where a quote is not closed", () => {
    assertShown('To: "Jörg', "To: Jörg");
  });
});
