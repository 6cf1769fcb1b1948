import assert from "node:assert/strict";
import { test } from "node:test";
import { listsReportUri, withReportUri } from "../../src/domains/report-uris.ts";

const URI = "mailto:dmarc-reports@bounces.example.com";

test("an address is found in a list, in any case and with a size limit", () => {
  for (const list of [URI, `mailto:a@b.example, ${URI}`, `${URI.toUpperCase()}!10m,mailto:a@b.example`]) {
    assert.equal(listsReportUri(list, URI), true, list);
  }
  for (const list of ["", "mailto:a@b.example", "mailto:dmarc-reports@example.com"]) {
    assert.equal(listsReportUri(list, URI), false, list);
  }
});

test("an address is added after those of the record, whose other tags stay as they are", () => {
  const added: [string, string][] = [
    ["v=DMARC1; p=reject", `v=DMARC1; p=reject; rua=${URI}`],
    ["v=DMARC1;p=none;", `v=DMARC1;p=none; rua=${URI}`],
    ["v=DMARC1; p=none; rua=mailto:a@b.example; fo=1", `v=DMARC1; p=none; rua=mailto:a@b.example,${URI}; fo=1`],
    [
      "v=DMARC1; p=none; RUA = mailto:a@b.example ; sp=none",
      `v=DMARC1; p=none; RUA = mailto:a@b.example,${URI}; sp=none`,
    ],
  ];
  for (const [record, expected] of added) assert.equal(withReportUri(record, URI), expected);
});
