/** References to documents in texts: links on pages, addresses in text; each names a document and a section that exist. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { readDocuments } from "../../src/dashboard/web/documents.ts";
import { documentPage, documentReferences, withDocumentAddresses } from "../../src/lib/document-address.ts";

const ROOT = new URL("../../", import.meta.url);

test("a reference becomes the address of its page where the service's own is known", () => {
  const text = "If the key is lost, see docs/OPERATIONS.md#keys. Or (docs/BEFORE-PRODUCTION.md), docs/x.md.";
  assert.equal(
    withDocumentAddresses(text, "https://mail.example"),
    "If the key is lost, see https://mail.example/dashboard/docs/operations#keys. Or (https://mail.example/dashboard/docs/before-production), docs/x.md.",
  );
  assert.equal(withDocumentAddresses(text, null), text);
  assert.equal(withDocumentAddresses(text, ""), text);
});

test("a text is split at its references, without loss", () => {
  assert.deepEqual(documentReferences("docs/TLS.md says how, docs/README.md what."), [
    { text: "docs/TLS.md", href: "/dashboard/docs/tls" },
    { text: " says how, ", href: null },
    { text: "docs/README.md", href: "/dashboard/docs" },
    { text: " what.", href: null },
  ]);
  assert.deepEqual(documentReferences("none"), [{ text: "none", href: null }]);
  assert.deepEqual(documentReferences(""), []);
});

test("every reference in the program's texts names a document and a section that exist", async () => {
  const { all } = await readDocuments();
  const files = readdirSync(new URL("src/", ROOT), { recursive: true, encoding: "utf8" });
  let count = 0;
  for (const name of files.filter((each) => /\.[jt]sx?$/.test(each))) {
    const text = readFileSync(new URL(`src/${name}`, ROOT), "utf8");
    for (const [reference, path = "", fragment] of text.matchAll(/(docs\/[A-Z][A-Z-]*\.md)(?:#([\w-]+))?/g)) {
      if (path === "docs/NAME.md") continue;
      const document = all.get(path) ?? assert.fail(`${name}: ${reference}`);
      assert.equal(document.href, documentPage(path.slice("docs/".length, -".md".length)));
      const ids = [...document.parsed().headings.values()].map(({ id }) => id);
      assert.ok(fragment === undefined || ids.includes(fragment), `${name}: ${reference}`);
      count += 1;
    }
  }
  assert.ok(count >= 8, String(count));
});
