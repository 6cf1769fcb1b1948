/** The operator's TLS rules through the whole service: nothing leaves that a rule forbids, and each rule follows the command. */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { send, sendToOne, triesOf } from "../support/api-client.ts";
import { apiTarget, publish, startPeer, until } from "../support/peers.ts";
import { runCli } from "../support/run-cli.ts";
import { selfSigned } from "../support/self-signed.ts";
import { tempDir } from "../support/temp-dir.ts";
import { sendBody, startWorld } from "../support/world.ts";

test("require and encrypt of a file, for hosts with a certificate of nobody, and for one without TLS", async (t) => {
  const file = join(tempDir(t), "tls-policy");
  writeFileSync(
    file,
    "# as agreed\nstrict.example require\nencrypted.example encrypt\n.plain.example encrypt # below\n",
  );
  const world = await startWorld(t, { TLS_POLICY_FILE: file });
  const secure = await startPeer(t, world, { tls: selfSigned("mx1.strict.example") });
  const plain = await startPeer(t, world);
  for (const domain of ["strict.example", "encrypted.example", "free.example"]) publish(world, domain, [secure.host]);
  for (const domain of ["a.plain.example", "plain.example"]) publish(world, domain, [plain.host]);
  const reported = async (domain: string) => {
    const recipient = await sendToOne(apiTarget(world), sendBody({ to: `ann@${domain}` }));
    return [recipient.result, recipient.reason, triesOf(recipient)[0]?.policy];
  };
  // First the domain without a rule: its session must not serve the others.
  assert.deepEqual(await reported("free.example"), ["delivered", null, "none"]);
  assert.deepEqual(await reported("strict.example"), ["pending", "tls_policy_failed", "operator require"]);
  assert.deepEqual(await reported("encrypted.example"), ["delivered", null, "operator encrypt"]);
  assert.deepEqual(await reported("a.plain.example"), ["pending", "tls_policy_failed", "operator encrypt"]);
  assert.deepEqual(await reported("plain.example"), ["delivered", null, "none"]);
  const to = (domain: string) =>
    [...secure.transactions, ...plain.transactions].filter(({ rcptTo }) => rcptTo[0]?.endsWith(`@${domain}`));
  assert.deepEqual(
    ["strict.example", "a.plain.example"].map((domain) => to(domain).length),
    [0, 0],
  );
  assert.equal(to("encrypted.example")[0]?.secure, true);
});

test("a rule set by command holds within ten seconds, before the file's, and is removed again", async (t) => {
  const file = join(tempDir(t), "tls-policy");
  writeFileSync(file, "filed.example encrypt\n");
  const world = await startWorld(t, { TLS_POLICY_FILE: file, RETRY_SCHEDULE: "1s" });
  const plain = await startPeer(t, world);
  for (const domain of ["filed.example", "set.example"]) publish(world, domain, [plain.host]);
  const set = async (domain: string, tls: string) => {
    const { code, stderr } = await runCli(["destinations", "set", domain, "--tls", tls], world.env);
    assert.deepEqual([code, stderr], [0, ""]);
  };
  const rules = async () =>
    JSON.parse((await runCli(["destinations", "rules", "--json"], world.env)).stdout) as {
      domain: string;
      tls: string;
    }[];
  await set("Set.example", "require");
  await send(apiTarget(world), sendBody({ to: "ann@filed.example" }));
  assert.deepEqual(
    (await rules()).map(({ domain, tls }) => `${domain} ${tls}`),
    ["filed.example encrypt", "set.example require"],
  );
  await until("the rule", async () => {
    const recipient = await sendToOne(apiTarget(world), sendBody({ to: "ann@set.example" }));
    return recipient.reason === "tls_policy_failed";
  });
  assert.ok(plain.transactions.every(({ rcptTo }) => rcptTo[0] !== "ann@filed.example"));
  await set("filed.example", "default");
  await set("set.example", "default");
  assert.deepEqual(
    (await rules()).map(({ domain, tls }) => `${domain} ${tls}`),
    ["filed.example default"],
  );
  await until("what waited", () =>
    ["ann@filed.example", "ann@set.example"].every((to) => plain.transactions.some(({ rcptTo }) => rcptTo[0] === to)),
  );
  const { code, stderr } = await runCli(["destinations", "set", "set.example", "--tls", "often"], world.env);
  assert.deepEqual([code, /require/.test(stderr)], [2, true]);
});
