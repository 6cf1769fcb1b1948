/** The return path of a world's domain. */
import assert from "node:assert/strict";
import { setReturnPath } from "../../src/app/domains/return-path.ts";
import { verifyNow } from "../../src/app/domains/verify-domain.ts";
import { returnPathRecords } from "../../src/domains/records.ts";
import { SENDER_DOMAIN, type World } from "./world.ts";

/** Turns the return path of a bound domain on, and publishes its records. */
export async function activateReturnPath(
  { service, zone, resolver }: Pick<World, "service" | "zone" | "resolver">,
  name = SENDER_DOMAIN,
): Promise<void> {
  const context = { resolver, hostname: "mta.shop.example", sendingIps: ["127.0.0.1"], allowPrivate: true };
  const domain = (await service.registry.domainNamed("acc_default", name)) ?? assert.fail(`${name} is not bound`);
  await setReturnPath(service.registry, domain, { on: true, nowMs: Date.now() });
  zone.set("mta.shop.example", "A", ["127.0.0.1"]);
  for (const record of returnPathRecords(domain, context)) zone.set(record.name, record.type, [record.value]);
  await verifyNow(service.registry, domain, { context, nowMs: Date.now() });
  assert.equal((await service.registry.returnPathNamed("acc_default", name))?.active, true);
}
