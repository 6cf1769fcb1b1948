/** The table of the doctor's findings: what it shortens, and what it shows whole. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { findingsTable } from "../../src/cli/doctor.ts";
import { withoutStyles } from "../../src/lib/text-style.ts";

const shown = (detail: string): string =>
  withoutStyles(findingsTable([{ check: "spool", state: "problem", detail }]))
    .split("\n")
    .at(-1)
    ?.replace(/^problem +spool +/, "") ?? "";

describe("the table of findings", () => {
  it("shortens published records and keys, but not the punctuation after them", () => {
    const key = "A".repeat(392);
    assert.equal(shown(`Found “v=DKIM1; p=${key}”.`), `Found “v=DKIM1; p=${"A".repeat(48)}…”.`);
    assert.equal(shown(`Publish p=${key}: it is ours.`), `Publish p=${"A".repeat(57)}…: it is ours.`);
  });

  it("shows settings, paths and addresses of databases whole", () => {
    const url = "postgres://postrider@database-of-the-mail-service.example.com:5432/postrider";
    const path = `/srv/${"certificates/".repeat(6)}`;
    for (const detail of [
      `CERTS_DIR=${path} has another master.key than the nodes that use DATABASE_URL=${url}: copy master.key from one of them`,
      `There is no spool in ${url}: start the service.`,
      `Put the key back into ${path}; then restart.`,
    ])
      assert.equal(shown(detail), detail);
  });
});
