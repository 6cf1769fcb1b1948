/** TLS rules that are set by command, beside those of the file. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { listTlsRules, setTlsRule } from "../../../src/app/decide/tls-rules.ts";
import type { TlsRule } from "../../../src/message/tls-rules.ts";
import { RULES_MAX, readTlsRules } from "../../../src/spool/port/tls-rules.ts";

function memoryStore() {
  const values = new Map<string, string>();
  return {
    readValue: async (name: string) => values.get(name) ?? null,
    writeValue: async (name: string, text: string) => void values.set(name, text),
  };
}

const NO_FILE = new Map<string, TlsRule>();

test("default removes a rule, and is stored where one of the file or of a domain above would apply", async () => {
  const store = memoryStore();
  const file = new Map<string, TlsRule>([
    ["a.example", "require"],
    [".b.example", "encrypt"],
  ]);
  const set = async (domain: string, rule: string) => {
    await setTlsRule(store, { domain, rule }, file);
    return [...(await readTlsRules(store))].map((each) => each.join(" "));
  };
  assert.deepEqual(await set("Bücher.example", "encrypt"), ["xn--bcher-kva.example encrypt"]);
  assert.deepEqual(await set("bücher.example", "default"), []);
  assert.deepEqual(await set("a.example", "default"), ["a.example default"]);
  assert.deepEqual(await set("x.b.example", "default"), ["a.example default", "x.b.example default"]);
  assert.deepEqual(await listTlsRules(store, file), [
    { domain: ".b.example", rule: "encrypt", from: "file" },
    { domain: "a.example", rule: "default", from: "command" },
    { domain: "x.b.example", rule: "default", from: "command" },
  ]);
  assert.deepEqual(await set("a.example", "encrypt"), ["x.b.example default", "a.example encrypt"]);
});

test("a domain or rule that is not valid is named, and there is a limit", async () => {
  const store = memoryStore();
  const set = (domain: string, rule: string) => setTlsRule(store, { domain, rule }, NO_FILE);
  assert.deepEqual(await set("a b", "require"), { type: "invalid", detail: "a b is not a domain" });
  assert.deepEqual(await set("a.example", "often"), {
    type: "invalid",
    detail: "--tls must be one of require, encrypt, default",
  });
  const full = Object.fromEntries(Array.from({ length: RULES_MAX }, (_, i) => [`d${i}.example`, "require"]));
  await store.writeValue("tls-rules", JSON.stringify(full));
  assert.deepEqual(await set("one-more.example", "require"), { type: "full" });
  assert.equal((await set("d0.example", "encrypt")).type, "set");
});
