/** The table of the doctor's findings: what it shortens, and what it shows whole. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, it } from "node:test";
import { findingsTable } from "../../src/cli/doctor.ts";
import { withoutStyles } from "../../src/lib/text-style.ts";
import { runCli } from "../support/run-cli.ts";
import { tempDir } from "../support/temp-dir.ts";

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

it("names documents by their pages where PUBLIC_URL is known, else by their paths", async (t) => {
  const dir = tempDir(t);
  const env = {
    DATA_DIR: join(dir, "data"),
    CERTS_DIR: join(dir, "certs"),
    DNS_SERVERS: "127.0.0.1:9",
    MTA_HOSTNAME: "mta.shop.example",
    PROBE_DOMAINS: "none",
    BLOCKLISTS: "none",
  };
  const unset = await runCli(["doctor"], env);
  assert.match(
    unset.stdout,
    /warning +public_url +PUBLIC_URL is http:\/\/localhost:8080.*See docs\/OPERATIONS\.md#the-public-address\./,
  );
  const loopback = await runCli(["doctor", "--json"], { ...env, PUBLIC_URL: "http://127.0.0.1:8080" });
  assert.match(loopback.stdout, /See http:\/\/127\.0\.0\.1:8080\/dashboard\/docs\/operations#the-public-address\./);
  assert.doesNotMatch(unset.stdout, /v=spf1/);
});
