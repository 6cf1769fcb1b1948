/** What `preflight --check` exits with. The sessions themselves are in test/doctor/preflight.test.ts. */
import assert from "node:assert/strict";
import { it, type TestContext } from "node:test";
import { startZoneServer } from "../../src/testing/zone-server.ts";
import { freeAddress } from "../support/peers.ts";
import { runCli } from "../support/run-cli.ts";
import { startScriptedSmtp } from "../support/scripted-smtp.ts";

const CHECK = ["preflight", "--receiver", "outlook", "--check"];

async function environment(t: TestContext, greeting: string | null) {
  const peer = await startScriptedSmtp({
    host: freeAddress(),
    script: greeting === null ? {} : { greeting: () => greeting },
  });
  t.after(() => peer.close());
  const zone = await startZoneServer();
  t.after(() => zone.close());
  zone.set("outlook.com", "MX", ["10 mx.olc.protection.outlook.com."]);
  zone.set("mx.olc.protection.outlook.com", "A", [peer.host]);
  const env = {
    DNS_SERVERS: zone.address,
    SMTP_PORT: String(peer.port),
    SMTP_ALLOW_PRIVATE: "true",
    BLOCKLISTS: "none",
  };
  return { ...env, MTA_HOSTNAME: "mta.sender.example", SENDING_IPS: "127.0.0.1" };
}

it("exits with 0 where a receiver takes the session, also beside an address of a family that it does not have", async (t) => {
  const env = await environment(t, null);
  assert.equal((await runCli(CHECK, env)).code, 0);
  const both = await runCli(CHECK, { ...env, SENDING_IPS: "127.0.0.1,::1" });
  assert.deepEqual([both.code, both.stderr], [0, ""]);
});

it("exits with 1 where a receiver refuses it, none is reached, or none could be tried", async (t) => {
  const env = await environment(t, "554 5.7.1 no");
  const refused = await runCli(CHECK, env);
  assert.deepEqual([refused.code, /rejected by outlook/.test(refused.stderr)], [1, true], refused.stderr);
  for (const change of [{ SMTP_PORT: "1" }, { DNS_SERVERS: "127.0.0.1:1" }]) {
    const { code, stderr } = await runCli(CHECK, { ...env, ...change });
    assert.deepEqual([code, /no receiver was reached/.test(stderr)], [1, true], stderr);
  }
});
