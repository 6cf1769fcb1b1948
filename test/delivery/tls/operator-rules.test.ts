/** The operator's rules beside the policies of domains: they are stricter, never weaker. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Peer } from "../../../src/delivery/smtp/tls.ts";
import { OperatorRules } from "../../../src/delivery/tls/operator-rules.ts";
import type { HostPolicy } from "../../../src/delivery/tls/tls-policy.ts";
import type { TlsRule } from "../../../src/message/tls-rules.ts";

const HOST = { name: "mx.a.example", addresses: ["192.0.2.1"], port: 25 };

const NONE: HostPolicy = { type: "opportunistic", name: "none", testingNote: () => null };
const required = (name: "dane" | "mta-sts enforce", authenticate: "none" | "webpki" | "dane"): HostPolicy => ({
  type: "required",
  name,
  authenticate,
  serverName: HOST.name,
  check: null,
});

async function policyWith(rule: TlsRule, published: HostPolicy): Promise<HostPolicy> {
  const rules = new OperatorRules(new Map([["a.example", rule]]));
  const lookUp = await rules.appliedTo(async () => async () => published)("a.example");
  return lookUp(HOST as never);
}

test("without a policy of the domain, the rule is the policy", async () => {
  assert.equal(await policyWith("default", NONE), NONE);
  const encrypt = await policyWith("encrypt", NONE);
  assert.deepEqual([encrypt.type, encrypt.name], ["required", "operator encrypt"]);
  const require = await policyWith("require", NONE);
  assert.ok(require.type === "required" && require.check !== null);
  assert.deepEqual([require.name, require.authenticate, require.serverName], ["operator require", "webpki", HOST.name]);
  const peer = (parts: Partial<Peer>): Peer => ({ serverName: HOST.name, verificationError: null, ...parts }) as Peer;
  assert.equal(require.check(peer({})), null);
  assert.match(require.check(peer({ verificationError: "DEPTH_ZERO_SELF_SIGNED_CERT" })) ?? "", /does not verify/);
  assert.match(require.check(peer({ serverName: "other.example" })) ?? "", /was asked for as other\.example/);
});

test("an authenticated policy of the domain stays, and one without authentication becomes stricter", async () => {
  for (const published of [required("dane", "dane"), required("mta-sts enforce", "webpki")])
    for (const rule of ["require", "encrypt", "default"] as const)
      assert.equal(await policyWith(rule, published), published);
  const unusableRecords = required("dane", "none");
  assert.equal(await policyWith("encrypt", unusableRecords), unusableRecords);
  assert.equal((await policyWith("require", unusableRecords)).name, "operator require");
  const unusable: HostPolicy = { type: "unusable", name: "dane", cause: "dns_trouble", error: "no answer" };
  assert.equal(await policyWith("require", unusable), unusable);
});

test("a rule that is set holds for look-ups that began before", async () => {
  const rules = new OperatorRules(new Map());
  const lookUp = await rules.appliedTo(async () => async () => NONE)("a.example");
  rules.set(new Map([["a.example", "encrypt"]]));
  assert.equal((await lookUp(HOST as never)).name, "operator encrypt");
  rules.set(new Map());
  assert.equal(await lookUp(HOST as never), NONE);
});
