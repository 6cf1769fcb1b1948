/** The addresses for reports: which are well-formed URIs, and which receivers can use. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { hasSizeLimit, isReportUri, isUri, urisIn } from "../../src/dmarc/report-uri.ts";

test("receivers send to mailto, other schemes are URIs all the same", () => {
  for (const uri of ["mailto:a@b.example", "MAILTO:a+c@b.example", "mailto:a@b.example!10m"]) {
    assert.deepEqual([isUri(uri), isReportUri(uri)], [true, true], uri);
  }
  for (const uri of ["https://b.example/r?x=1", "tel:+1"]) {
    assert.deepEqual([isUri(uri), isReportUri(uri)], [true, false], uri);
  }
  for (const uri of ["", "a@b.example", "mailto:", "mailto:a", "mailto:a@", "mail to:a@b.example", "https:", "ä:b"]) {
    assert.deepEqual([isUri(uri), isReportUri(uri)], [false, false], uri);
  }
});

test("a list has spaces around its commas, and an address may have the size limit of RFC 7489", () => {
  assert.deepEqual(urisIn("mailto:a@b.example ,  mailto:c@d.example!1k"), [
    "mailto:a@b.example",
    "mailto:c@d.example!1k",
  ]);
  assert.deepEqual(urisIn("mailto:a@b.example,mailto:c@d.example!1k").map(hasSizeLimit), [false, true]);
});
