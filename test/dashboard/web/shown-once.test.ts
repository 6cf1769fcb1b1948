/** Values that a page shows once. How long they are held is in the spool's conformance suite. */
import assert from "node:assert/strict";
import { it } from "node:test";
import { ShownOnce, type ShownOnceParts } from "../../../src/dashboard/web/shown-once.ts";
import { Vault } from "../../../src/security/vault.ts";
import { HeldInMemory } from "../../../src/spool/engine/sqlite/connection/held-values.ts";
import type { HeldValue } from "../../../src/spool/port/held-values.ts";
import { fakeClock } from "../../support/fake-clock.ts";

const newParts = (): ShownOnceParts => ({
  heldValues: new HeldInMemory(fakeClock()),
  secrets: new Vault(Buffer.alloc(32, 1)),
});

it("are shown once, and only to their account and by their page", async () => {
  const parts = newParts();
  const [shown, other] = [new ShownOnce<string>(parts, "key"), new ShownOnce<string>(parts, "webhook")];
  const ticket = await shown.hold("acc_1", "secret");
  assert.equal(await shown.take("acc_2", ticket), null);
  assert.equal(await other.take("acc_1", ticket), null);
  assert.equal(await shown.take("acc_1", `${ticket}x`), null);
  assert.equal(await shown.take("acc_1", ticket), "secret");
  assert.equal(await shown.take("acc_1", ticket), null);
});

it("are stored sealed, beside nothing from which the ticket follows", async () => {
  const { secrets } = newParts();
  const stored: HeldValue[] = [];
  const heldValues = { hold: async (value: HeldValue) => void stored.push(value), take: async () => null };
  const ticket = await new ShownOnce({ heldValues, secrets }, "key").hold("acc_1", { key: "svc_live_secret" });
  const bytes = Buffer.concat(stored.flatMap(({ hash, sealed }) => [hash, sealed]));
  for (const secret of ["svc_live_secret", ticket]) assert.ok(!bytes.includes(secret));
  assert.ok(!bytes.includes(Buffer.from(ticket, "base64url")));
});
