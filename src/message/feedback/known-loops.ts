/**
 * The feedback loops whose signature proves a complaint (see loop-signature.ts). A loop is listed only if a public source names
 * the domain of its signatures and the domain of its From address.
 */

export interface FeedbackLoop {
  name: string;
  /** The domain of its DKIM signatures (d=), in lower case. */
  signer: string;
  /** The domain of its From address, in lower case. */
  from: string;
  /** Whether From may also be under a subdomain of `from`. */
  hasSubdomains: boolean;
  source: string;
  /** When the source was read. */
  readOn: string;
}

const KNOWN_LOOPS: readonly FeedbackLoop[] = [
  {
    name: "Yahoo Complaint Feedback Loop: Yahoo, AOL and the brands that Yahoo hosts",
    signer: "arf.mail.yahoo.com",
    from: "arf.mail.yahoo.com",
    hasSubdomains: false,
    source:
      "https://senders.yahooinc.com/faqs/: From is feedback@arf.mail.yahoo.com, and so is the domain of the signature",
    readOn: "2026-11-27",
  },
  {
    name: "Validity Universal Feedback Loop: Comcast, Cox, Rackspace, Synacor, Yandex and others",
    signer: "senderscore.net",
    from: "senderscore.net",
    hasSubdomains: true,
    source:
      "a report of 2020-05-18 that its receiver has published: d=senderscore.net, rsa-sha256, h=from:to:subject, From feedbackloop@yandexfbl.senderscore.net; github.com/AbuseIO/parser-fbl lists the senders of the other providers, such as feedbackloop@comcastfbl.senderscore.net",
    readOn: "2026-11-27",
  },
];

/** Returns the loop that signs with this domain and writes from that one; null if there is none. */
export function loopOf(signer: string, fromDomain: string): FeedbackLoop | null {
  const found = KNOWN_LOOPS.find(
    (loop) =>
      loop.signer === signer &&
      (loop.from === fromDomain || (loop.hasSubdomains && fromDomain.endsWith(`.${loop.from}`))),
  );
  return found ?? null;
}
