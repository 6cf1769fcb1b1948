/** TLS rules of recipient domains: the file, and which rule is for a domain. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { parseTlsRules, ruleDomain, type TlsRule, tlsRuleOf } from "../../src/message/tls-rules.ts";

test("a file has a domain and a rule in each line, and comments", () => {
  const rules = parseTlsRules(
    "# bank\r\nBank.example. require\r\n\n.Bücher.example\tencrypt # all below\nx.example default",
  );
  assert.ok(!("line" in rules));
  assert.deepEqual(
    [...rules],
    [
      ["bank.example", "require"],
      [".xn--bcher-kva.example", "encrypt"],
      ["x.example", "default"],
    ],
  );
});

test("a line that is not valid is named, with the fault", () => {
  for (const [text, line, detail] of [
    ["a.example", 1, /after a\.example there must be one of require, encrypt, default/],
    ["\na.example secure", 2, /after a\.example/],
    ["a.example require now", 1, /after a\.example/],
    ["a..example require", 1, /a\.\.example is not a domain/],
    ["ann@a.example require", 1, /is not a domain/],
    ["a.example require\nA.example encrypt", 2, /a\.example has a rule in an earlier line/],
  ] as const) {
    const fault = parseTlsRules(text);
    assert.ok("line" in fault, text);
    assert.equal(fault.line, line);
    assert.match(fault.detail, detail);
  }
  for (const typed of ["", ".", "a b.example", `${"a.".repeat(200)}example`])
    assert.equal(ruleDomain(typed), null, typed);
});

test("a domain has its own rule, else that of the closest domain above; the first source counts at each", () => {
  const file = new Map<string, TlsRule>([
    ["a.example", "require"],
    [".a.example", "encrypt"],
    [".b.a.example", "require"],
  ]);
  const command = new Map<string, TlsRule>([["a.example", "default"]]);
  const rule = (domain: string): TlsRule => tlsRuleOf(domain, [command, file]);
  assert.deepEqual(["a.example", "x.a.example", "b.a.example", "x.b.a.example", "nota.example", "example"].map(rule), [
    "default",
    "encrypt",
    "encrypt",
    "require",
    "default",
    "default",
  ]);
});
