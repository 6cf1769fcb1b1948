/**
 * The surroundings in which mail servers make bounces: a DNS zone, a host whose replies depend on the recipient, and the mailbox of
 * the sender to which bounces return. All on loopback addresses of their own, at the usual ports, so it needs root.
 */

import { startZoneServer } from "../../src/testing/zone-server.ts";
import { type RecordedTransaction, type Script, startScriptedSmtp } from "./scripted-smtp.ts";

export const SENDER = "hello@shop.example";

/** Replies of the recipients' host, by local part: to RCPT, or to the final dot. */
const REPLIES: Readonly<Record<string, { rcpt?: string; dot?: string }>> = {
  unknown: { rcpt: "550 5.1.1 <unknown@customers.example>: Recipient address rejected: User unknown" },
  "unknown-plain": { rcpt: "550 no such user here" },
  full: { rcpt: "552 5.2.2 Mailbox is full, quota exceeded" },
  "full-for-now": { rcpt: "452 4.2.2 Mailbox full" },
  disabled: { rcpt: "550 5.2.1 This mailbox is disabled" },
  greylisted: { rcpt: "450 4.2.0 Greylisted, come back later" },
  relay: { rcpt: "554 5.7.1 <relay@customers.example>: Relay access denied" },
  blocked: { rcpt: "554 5.7.1 Service unavailable; client host [192.0.2.9] blocked using zen.spamhaus.org" },
  large: { dot: "552 5.3.4 Message size exceeds fixed limit" },
  spam: { dot: "554 5.7.1 Message rejected as spam by content filter" },
};

const MAIL_PORT = 25;
export const OWN_NAME = "mx.relay.example";

export interface BounceSite {
  /** For a `resolv.conf`. */
  dnsHost: string;
  /** Messages that came back to the sender. */
  returned: readonly RecordedTransaction[];
  close(): Promise<void>;
}

const HOSTS = {
  dns: "127.9.9.53",
  customers: "127.9.9.10",
  refused: "127.9.9.11",
  shop: "127.9.9.12",
  relay: "127.9.9.13",
};
/** Where a server of these tests listens. */
export const RELAY_HOST = HOSTS.relay;

const replies: Script = {
  rcpt: (argument) => REPLIES[localPart(argument)]?.rcpt,
  dot: (_content, { rcptTo }) => REPLIES[localPart(rcptTo[0] ?? "")]?.dot,
};

const localPart = (path: string): string => /<?([^<@]*)@/.exec(path)?.[1] ?? "";

export async function startBounceSite(): Promise<BounceSite> {
  const zone = await startZoneServer({ host: HOSTS.dns, port: 53 });
  for (const [name, host] of Object.entries(HOSTS)) {
    zone.set(`${name}.example`, "MX", [`10 mx.${name}.example.`]);
    zone.set(`mx.${name}.example`, "A", [host]);
    zone.set(`${host.split(".").reverse().join(".")}.in-addr.arpa`, "PTR", [`mx.${name}.example.`]);
  }
  const customers = await startScriptedSmtp({ script: replies, host: HOSTS.customers, port: MAIL_PORT });
  const shop = await startScriptedSmtp({ host: HOSTS.shop, port: MAIL_PORT });
  return {
    dnsHost: HOSTS.dns,
    returned: shop.transactions,
    close: async () => {
      await Promise.all([customers.close(), shop.close(), zone.close()]);
    },
  };
}

/** Returns a bounce without the addresses of this machine. */
export const anonymous = (message: Buffer): string =>
  message
    .toString("latin1")
    .replace(/127\.9\.9\.(\d+)/g, "192.0.2.$1")
    .replace(/127\.0\.0\.1/g, "192.0.2.1");
