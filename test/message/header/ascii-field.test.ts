/** Header fields in ASCII: text becomes encoded words; addresses, identifiers and fields in ASCII stay. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isAscii } from "../../../src/message/address.ts";
import { decodeWords } from "../../../src/message/encoded-words.ts";
import { inAscii, partFieldInAscii } from "../../../src/message/header/ascii-field.ts";
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
  it("stays: addresses and quoted local parts", () => {
    const lines = ["To: jörg@customers.example", "To: <jörg@customers.example>", 'To: "jörg m"@customers.example'];
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
  it("keeps each character but quotes, of long runs too", () => {
    const open = "<".repeat(900);
    const quotes = `"${'\\"'.repeat(450)}x`;
    for (const run of [open, quotes, ">".repeat(900), '"<'.repeat(450), "\\".repeat(900)]) {
      const lines = ["To: ü", ...Array.from({ length: 100 }, () => ` ${run}`)];
      const text = converted(...lines);
      assert.equal(
        shown(text).replace(/[ "\\]/g, ""),
        lines.join("").replace(/[ "\\]/g, ""),
        `a run of ${JSON.stringify(run.slice(0, 4))}`,
      );
    }
  });

  it("has its name encoded where a quote is not closed", () => {
    assertShown('To: "Jörg', "To: Jörg");
  });
});

describe("structured fields", () => {
  const assertWritten = (written: string, sent: string): void => assert.equal(converted(written), `${sent}\r\n`);

  it("have URLs and identifiers in ASCII, always in the same form", () => {
    assertWritten(
      "List-Unsubscribe: <https://müller.example/(ü)?n=Jörg#ß>, <mailto:ab@müller.example?subject=für>",
      "List-Unsubscribe: <https://xn--mller-kva.example/(%C3%BC)?n=J%C3%B6rg#%C3%9F>, <mailto:ab@xn--mller-kva.example?subject=f%C3%BCr>",
    );
    assertWritten("List-Post: NO (für niemand)", "List-Post: NO (=?UTF-8?Q?f=C3=BCr_niemand?=)");
    assertWritten(
      "Content-Location: https://a:b@ü.example:81/ü",
      "Content-Location: https://a:b@xn--tda.example:81/%C3%BC",
    );
    assertWritten(
      "List-Id: Jörgs Liste <jörg.shop.example>",
      "List-Id:  =?UTF-8?Q?J=C3=B6rgs_Liste?= <j%C3%B6rg.shop.example>".replace(":  ", ": "),
    );
    assertWritten("Message-ID: <a.1@BÜRO-PC>", "Message-ID: <a.1@B%C3%9CRO-PC>");
    assertWritten("References: <1@a>\r\n\t<a.1@BÜRO-PC>", "References: <1@a>\r\n\t<a.1@B%C3%9CRO-PC>");
    assertWritten(
      "Date: Mon, 2 Nov 2026 10:00:00 +0100 (Mitteleuropäische Zeit)",
      "Date: Mon, 2 Nov 2026 10:00:00 +0100 (=?UTF-8?Q?Mitteleurop=C3=A4ische_Zeit?=)",
    );
  });

  it("have phrases that stay apart", () => {
    assertShown("Keywords: Grüße, Äpfel und Birnen, c");
    assert.equal(converted("Keywords: Grüße, Äpfel").split(",").length, 2);
  });

  it("have domains as A-labels in any field of addresses", () => {
    for (const name of ["Resent-To", "Disposition-Notification-To", "Return-Receipt-To", "Errors-To", "Reply-To"]) {
      assertWritten(
        `${name}: Jörg <ab@müller.example>, ä@ü.example`,
        `${name}: =?UTF-8?Q?J=C3=B6rg?= <ab@xn--mller-kva.example>,\r\n  ä@xn--tda.example`,
      );
    }
  });
});

describe("text that is encoded in part", () => {
  it("is encoded as a whole, with what the encoded words say", () => {
    assertShown("Subject: =?iso-8859-1?Q?Gr=FC=DFe?= für alle", "Subject: Grüße für alle");
    assertShown("To: =?iso-8859-1?Q?J=F6rg?= Müller <a@b.example>", "To: Jörg Müller <a@b.example>");
  });
});

describe("the field of a part", () => {
  it("is ASCII also where an address is not", () => {
    const [field] = fieldsOf("From: Jörg <jörg@müller.example>");
    assert.ok(field !== undefined);
    const text = partFieldInAscii(field);
    assert.equal(shown(text), "From: Jörg jörg@müller.example :;");
    assert.ok(isAscii(text));
  });
});

describe("a name that is an address", () => {
  it("is quoted", () => {
    assert.equal(converted("From: a@b.example <a@b.example>"), 'From: "a@b.example" <a@b.example>\r\n');
    assert.equal(
      converted("To: c@d.example, Jane D. a@b.example <a@b.example>, e@f.example"),
      'To: c@d.example,\r\n  "Jane D. a@b.example" <a@b.example>,\r\n  e@f.example\r\n',
    );
  });

  it("is not changed where it is quoted, or is no name", () => {
    for (const line of [
      'From: "a@b.example" <a@b.example>',
      "To: a@b.example, <c@d.example>",
      "To: x (a@b) <c@d.example>",
    ]) {
      assert.equal(converted(line), `${line}\r\n`);
    }
  });
});
