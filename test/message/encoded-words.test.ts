/** Encoded words of header fields: what is decoded, what stays, and that what is encoded decodes to the same text. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { decodeWords, encodedWords } from "../../src/message/encoded-words.ts";

describe("decodeWords", () => {
  it("decodes base64 and quoted-printable words in any case and charset", () => {
    const cases: [text: string, decoded: string][] = [
      ["=?utf-8?B?R3LDvMOfZQ==?=", "Grüße"],
      ["=?UTF-8?q?Gr=C3=BC=c3=9fe_an_alle?=", "Grüße an alle"],
      ["=?iso-8859-1?Q?Gr=FC=DFe?=", "Grüße"],
      ["=?koi8-r?b?8NLJ18XU?=", "Привет"],
      ["=?utf-8*de?q?Gr=C3=BC=C3=9Fe?=", "Grüße"],
      ["Re: =?utf-8?q?=C3=BC?= und =?utf-8?q?=C3=A4?=", "Re: ü und ä"],
    ];
    for (const [text, decoded] of cases) assert.equal(decodeWords(text), decoded, text);
  });

  it("drops the white space between two words, and no other", () => {
    assert.equal(decodeWords("=?utf-8?q?a?= \t =?utf-8?q?b?= c"), "ab c");
    assert.equal(decodeWords("=?utf-8?q?a?= b =?utf-8?q?c?="), "a b c");
  });

  it("leaves what it cannot decode", () => {
    const texts = [
      "=?x-unknown?q?a?=",
      "=?utf-8?x?a?=",
      "=?utf-8?q?a",
      "=?utf-8?q?a b?=",
      "=??q?a?=",
      "a =? b ?= c",
      "=?=",
    ];
    for (const text of texts) assert.equal(decodeWords(text), text);
  });

  it("replaces octets that are not of the charset", () => {
    assert.equal(decodeWords("=?utf-8?q?a=FFb?="), "a\ufffdb");
  });

  it("makes one decoder for each charset of a text, and at most 20", (t) => {
    const made: (string | undefined)[] = [];
    const Real = globalThis.TextDecoder;
    globalThis.TextDecoder = class extends Real {
      constructor(charset?: string) {
        made.push(charset);
        super(charset);
      }
    } as typeof Real;
    t.after(() => {
      globalThis.TextDecoder = Real;
    });
    const known = "=?utf-8?q?a?= ".repeat(100);
    const unknown = "=?x-no?q?a?= ".repeat(100);
    assert.equal(decodeWords(known + unknown), `${"a".repeat(100)}${"=?x-no?q?a?=".repeat(100)} `);
    assert.deepEqual(made, ["utf-8", "x-no"]);
    const many = Array.from({ length: 100 }, (_, i) => `=?x-${i}?q?a?= b `).join("");
    assert.equal(decodeWords(`${many}=?utf-8?q?a?=`), `${many}=?utf-8?q?a?=`);
    assert.equal(made.length, 22);
  });

  it("returns a long run of words that are not closed as it is", () => {
    const text = "=?utf-8?q?".repeat(10_000);
    assert.equal(decodeWords(text), text);
  });
});

describe("encodedWords", () => {
  const TEXTS = [
    "Grüße",
    "a=b_c ü?!",
    "ü",
    "ü ",
    "123456789012345678901234567890123ü",
    "1234567890123456789012345678901234ü",
    "1234567890123456789012345678901234567890ü",
    "Order 17 for Jörg: please confirm the delivery at the address below, before Friday",
    "Подтвердите свой заказ в течение двадцати четырёх часов после его получения",
    "注文を確認してください".repeat(8),
    "🎉".repeat(50),
    "=?utf-8?q?already?= ü",
    'a "quoted" (comment) <a@b.example>, ü; _?=',
    "ü  two spaces, and at the end ",
  ];

  it("is read as the same text", () => {
    for (const text of TEXTS) assert.equal(decodeWords(encodedWords(text).replaceAll("\r\n", "")), text);
  });

  it("is in ASCII, with one word of at most 75 octets in each line", () => {
    for (const text of TEXTS) {
      for (const [index, line] of encodedWords(text).split("\r\n").entries()) {
        assert.match(line, index === 0 ? /^=\?UTF-8\?[BQ]\?[!->@-~]+\?=$/ : /^ =\?UTF-8\?[BQ]\?[!->@-~]+\?=$/);
        assert.ok(line.trim().length <= 75, line);
      }
    }
  });

  it("cuts no character in two", () => {
    for (const text of TEXTS) {
      const each = encodedWords(text).split("\r\n ").map(decodeWords);
      assert.ok(!each.join("").includes("\ufffd"), text);
      assert.equal(each.join(""), text);
    }
  });
});
