/** The SPF advice and check of several nodes: a domain must authorize the addresses of all of them. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { freshDatabase } from "../support/postgres/fresh-database.ts";
import { missingPostgresOrTime } from "../support/postgres/installation.ts";
import { runCli } from "../support/run-cli.ts";
import { startSecondService } from "../support/second-service.ts";
import { SENDER_DOMAIN, startWorld } from "../support/world.ts";

interface Check {
  state: string;
  detail: string;
  expected: string;
}

describe("SPF of several nodes", { skip: missingPostgresOrTime(), timeout: 120_000 }, () => {
  it("lists the addresses of all nodes in the record to publish, and fails without one of them", async (t) => {
    const { url } = await freshDatabase(t);
    const world = await startWorld(t, { DATABASE_URL: url, NODE_NAME: "a", SENDING_IPS: "198.51.100.1" });
    const other = await startSecondService(t, {
      ...world.env,
      NODE_NAME: "b",
      SENDING_IPS: "198.51.100.2,2001:db8::2",
    });
    // The command line runs elsewhere.
    const env = { ...world.env, SENDING_IPS: "203.0.113.9" };
    const added = await runCli(["domains", "add", "new.example", "--json"], env);
    const { records } = JSON.parse(added.stdout) as { records: { check: string; value: string }[] };
    const all = "v=spf1 ip4:198.51.100.1 ip4:198.51.100.2 ip6:2001:db8::2 ~all";
    assert.equal(records.find(({ check }) => check === "spf")?.value, all);

    const verify = async (): Promise<Check> =>
      JSON.parse((await runCli(["domains", "verify", SENDER_DOMAIN, "--json"], env)).stdout).checks.spf;
    world.zone.set(SENDER_DOMAIN, "TXT", ["v=spf1 ip4:198.51.100.1 -all"]);
    const failed = await verify();
    assert.equal(failed.state, "failed");
    assert.equal(
      failed.detail.split(". ")[0],
      `The SPF record of ${SENDER_DOMAIN} does not authorize 198.51.100.2 and 2001:db8::2 (result fail)`,
    );
    const repaired = "v=spf1 ip4:198.51.100.1 ip4:198.51.100.2 ip6:2001:db8::2 -all";
    assert.equal(failed.expected, repaired);
    world.zone.set(SENDER_DOMAIN, "TXT", [repaired]);
    assert.equal((await verify()).state, "verified");

    // A stopped node is expected to return.
    await other.stop();
    world.zone.set(SENDER_DOMAIN, "TXT", ["v=spf1 ip4:198.51.100.1 -all"]);
    assert.equal((await verify()).state, "failed");
  });
});
