import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { it } from "node:test";
import {
  DOMAIN_OCTETS_MAX,
  domainInAscii,
  domainInUnicode,
  isDomainTooLong,
} from "../../src/message/domain-encoding.ts";
import { CHECKOUT } from "../support/program.ts";

it("encodes and decodes a domain", () => {
  assert.equal(domainInAscii("Bücher.example"), "xn--bcher-kva.example");
  assert.equal(domainInUnicode("xn--bcher-kva.example"), "bücher.example");
});

it("encodes and decodes none that has more octets than a domain may have", () => {
  const label = "ü".repeat(20);
  const longest = `${Array.from({ length: 6 }, () => label).join(".")}.${"a".repeat(9)}`;
  assert.equal(Buffer.byteLength(longest), DOMAIN_OCTETS_MAX);
  assert.ok(!isDomainTooLong(longest) && isDomainTooLong(`a${longest}`));
  assert.match(domainInAscii(longest), /^xn--/);
  assert.equal(domainInAscii(`a${longest}`), "");
  const encoded = `${"xn--bcher-kva.".repeat(18)}abc`;
  assert.equal(encoded.length, DOMAIN_OCTETS_MAX);
  assert.match(domainInUnicode(encoded), /^bücher\./);
  assert.equal(domainInUnicode(`a${encoded}`), "");
});

it("is the only file that has a domain encoded or decoded", () => {
  const files = readdirSync(join(CHECKOUT, "src"), { recursive: true, encoding: "utf8" });
  const others = files.filter((file) => /\.tsx?$/.test(file) && file !== join("message", "domain-encoding.ts"));
  assert.ok(others.length > 500);
  const calls = (file: string) =>
    /\bdomainTo(ASCII|Unicode)\b|\bpunycode\b/.test(readFileSync(join(CHECKOUT, "src", file), "utf8"));
  assert.deepEqual(others.filter(calls), []);
});
