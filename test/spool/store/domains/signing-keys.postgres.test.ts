/** The exchange of DKIM keys with several nodes. What one node does is in the conformance suite. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { missingPostgresOrTime } from "../../../support/postgres/installation.ts";
import { registryOf } from "../../../support/postgres/store-ports.ts";
import { twoNodes } from "../../../support/postgres/two-nodes.ts";
import { NOW_MS, newDomain } from "../../port/conformance/store-suite.ts";

describe("a waiting DKIM key", { skip: missingPostgresOrTime(), timeout: 60_000 }, () => {
  const next = { selector: "two", publicKey: "second", sealedPrivateKey: Buffer.from("second sealed") };

  it("takes over once, although two nodes find its record at the same time", async (t) => {
    const { nodes, meet } = await twoNodes(t);
    const domain = await registryOf(nodes[0]).addDomain(newDomain);
    assert.ok(typeof domain !== "string");
    await registryOf(nodes[0]).startRotation({ domainId: domain.id, ...next, startedAtMs: NOW_MS });
    const finish = nodes.map((node) => () => registryOf(node).finishRotation(domain.id, next.selector, NOW_MS));
    assert.deepEqual((await meet("SELECT FROM accounts FOR UPDATE", finish)).sort(), [false, true]);
    const bound = await registryOf(nodes[1]).domains("acc_default");
    assert.deepEqual(
      bound.map(({ selector }) => selector),
      [next.selector],
    );
  });

  for (const lock of ["SELECT FROM accounts FOR UPDATE", "LOCK TABLE domains IN ACCESS EXCLUSIVE MODE"]) {
    it(`does not bring back a domain that another node removes at the same time (${lock})`, async (t) => {
      const { nodes, meet } = await twoNodes(t);
      const [{ addDomain, domains, removeDomain }, keys] = [registryOf(nodes[0]), registryOf(nodes[1])];
      const domain = await addDomain(newDomain);
      assert.ok(typeof domain !== "string");
      await keys.startRotation({ domainId: domain.id, ...next, startedAtMs: NOW_MS });
      const finish = (): Promise<boolean> => keys.finishRotation(domain.id, "two", NOW_MS);
      const remove = (): Promise<boolean> => removeDomain("acc_default", "shop.example", NOW_MS);
      const [, isRemoved] = await meet(lock, [finish, remove]);
      assert.equal(isRemoved, true);
      assert.deepEqual(await domains("acc_default"), []);
    });
  }
});
