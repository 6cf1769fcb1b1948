/** The one mailbox of From and Sender (RFC 5322): names, comments and quoted local parts are read; lists and groups are invalid. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { singleMailbox } from "../../../src/message/submitted/single-mailbox.ts";

function read(value: string): [name: string | null, address: string] {
  const parsed = singleMailbox(value);
  assert.ok(parsed.type === "valid", `${value}: ${JSON.stringify(parsed)}`);
  return [parsed.name, parsed.address];
}

function faultOf(value: string): string {
  const parsed = singleMailbox(value);
  assert.ok(parsed.type === "invalid", `${value}: ${JSON.stringify(parsed)}`);
  return parsed.detail;
}

describe("one mailbox", () => {
  it("may have a name, also quoted, encoded or in UTF-8", () => {
    const cases: [value: string, name: string | null][] = [
      ["hello@shop.example", null],
      ["<hello@shop.example>", null],
      ["Example Shop <hello@shop.example>", "Example Shop"],
      ['"Shop, \\"the\\" <one>" <hello@shop.example>', 'Shop, "the" <one>'],
      ["Läden & Co <hello@shop.example>", "Läden & Co"],
      ["=?utf-8?q?L=C3=A4den?= =?utf-8?b?ICYgQ28=?= <hello@shop.example>", "Läden & Co"],
      ["Example\tShop <hello@shop.example>", "Example Shop"],
      ["  Example Shop   <hello@shop.example>  ", "Example Shop"],
    ];
    for (const [value, name] of cases) assert.deepEqual(read(value), [name, "hello@shop.example"], value);
  });

  it("may have a quoted local part", () => {
    assert.deepEqual(read('"no reply"@shop.example'), [null, '"no reply"@shop.example']);
    assert.deepEqual(read('Shop <"a@b, c"@shop.example>'), ["Shop", '"a@b, c"@shop.example']);
    assert.deepEqual(read('"(no comment)"@shop.example'), [null, '"(no comment)"@shop.example']);
    assert.deepEqual(read('"a\\"("@shop.example (c)'), [null, '"a\\"("@shop.example']);
  });

  it("has a domain in lower-case A-labels", () => {
    const parsed = singleMailbox("Shop <hello@Bücher.Example>");
    assert.ok(parsed.type === "valid");
    assert.deepEqual([parsed.address, parsed.domain], ["hello@Bücher.Example", "xn--bcher-kva.example"]);
  });
});

describe("comments", () => {
  it("are not part of the mailbox, wherever they are", () => {
    const values = [
      "hello@shop.example (Example Shop)",
      "(a) hello@shop.example (b)",
      "(a (nested (deeply) b) c) hello@shop.example",
      "(\\) \\( \\\\) hello@shop.example",
      '("not a quote) hello@shop.example',
      "(other@bank.example, x) <hello@shop.example> (<z@bank.example>)",
    ];
    for (const value of values) assert.deepEqual(read(value), [null, "hello@shop.example"], value);
    assert.deepEqual(read("Shop (of (all) kinds) AG <hello@shop.example>")[1], "hello@shop.example");
  });

  it("may be nested to any depth", () => {
    const depth = 50_000;
    assert.deepEqual(read(`${"(".repeat(depth)}${")".repeat(depth)}a@b.example`), [null, "a@b.example"]);
    assert.deepEqual(read(`${"()".repeat(400)}a@b.example`), [null, "a@b.example"]);
  });

  it("must be closed, as quoted strings", () => {
    for (const value of ["(a hello@shop.example", "((a) hello@shop.example", "hello@shop.example (a\\)", '(a) "b']) {
      assert.equal(faultOf(value), "A comment or a quoted string is not closed.", value);
    }
    assert.equal(faultOf("(".repeat(100_000)), "A comment or a quoted string is not closed.");
    assert.equal(faultOf('"hello@shop.example'), "A closing quotation mark is missing.");
  });

  it("that only end are text, which an address cannot have", () => {
    assert.equal(singleMailbox("hello)@shop.example").type, "invalid");
    assert.equal(singleMailbox("hello@shop.example)").type, "invalid");
  });
});

describe("several mailboxes, groups and none", () => {
  it("are invalid", () => {
    const values = [
      "",
      "   ",
      "(only a comment)",
      "<>",
      "Shop",
      "Shop <>",
      "a@shop.example, b@shop.example",
      "A <a@shop.example>, B <b@shop.example>",
      "a@shop.example; b@shop.example",
      "<a@shop.example> <b@shop.example>",
      "a@shop.example b@shop.example",
      "Team: a@shop.example;",
      "Team: A <a@shop.example>;",
      "Team: A <a@shop.example>, B <b@shop.example>;",
      "undisclosed-recipients:;",
      "<@relay.example:a@shop.example>",
      "a@[192.0.2.1]",
      "a@localhost",
      "a b@shop.example",
      ".a@shop.example",
      "a@shop.example\u0001",
    ];
    for (const value of values) assert.notEqual(faultOf(value), "", value);
  });

  it("are invalid at any length", () => {
    for (const value of [";".repeat(100_000), "a@b.example,".repeat(10_000), "<".repeat(100_000)]) {
      assert.equal(faultOf(value), "The address is longer than 1000 characters.");
    }
  });
});
