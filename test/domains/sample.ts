/** A sample domain with a real key, its correct zone, and a check context for any zone. */
import { generateKeyPairSync } from "node:crypto";
import type { CheckContext } from "../../src/domains/check.ts";
import { initialChecks } from "../../src/domains/verification-state.ts";
import type { Domain } from "../../src/spool/port/domains.ts";
import { type FakeZone, fakeResolver } from "../support/fake-resolver.ts";

export const IP4 = "192.0.2.25";
/** The address of a mail exchanger: globally reachable, unlike the documentation addresses. */
export const PUBLIC_IP4 = "198.41.0.4";
export const IP6 = "2001:db8::25";

/** A fresh RSA-2048 public key, SPKI DER in base64. */
export function publicKey(): string {
  const pair = generateKeyPairSync("rsa", { modulusLength: 2048 });
  return pair.publicKey.export({ type: "spki", format: "der" }).toString("base64");
}

const SAMPLE_KEY = publicKey();

export function sampleDomain(name = "example.com"): Domain {
  return {
    id: `dom_${name}`,
    accountId: "acc_1",
    name,
    token: "AbCdEf0123456789_-AbCdEf01234567",
    createdAtMs: 0,
    verified: false,
    checks: initialChecks(),
    nextCheckAtMs: 0,
    selector: "pr0badcafe",
    publicKey: SAMPLE_KEY,
  };
}

/** Every record that `sampleDomain(name)` has to publish for IP4. */
export function goodZone(name = "example.com"): FakeZone {
  const { token, selector, publicKey } = sampleDomain(name);
  return {
    [name]: { TXT: [`v=spf1 ip4:${IP4} ~all`], MX: [`10 mail.${name}`] },
    [`mail.${name}`]: { A: [PUBLIC_IP4] },
    [`_postrider.${name}`]: { TXT: [`postrider-verification=${token}`] },
    [`${selector}._domainkey.${name}`]: { TXT: [`v=DKIM1; k=rsa; p=${publicKey}`] },
    [`_dmarc.${name}`]: { TXT: ["v=DMARC1; p=none"] },
  };
}

export function contextOf(zone: FakeZone, sendingIps: string[] = [IP4]): CheckContext {
  return { resolver: fakeResolver(zone), hostname: "mta.sender.example", sendingIps };
}
