/**
 * The codes that receivers write into their replies, with what they mean by them. A code is exact, so it decides before enhanced
 * codes and before words: "BL000000 ... spam" is a block, "421 ... OFR_999" is no trouble of the network. Collected in November 2026
 * from the receivers' postmaster pages and KumoMTA's shaping files. text-patterns.ts says how a text is matched.
 */
import type { TextRow } from "./text-rows.ts";

export const PROVIDER_CODES: readonly TextRow[] = [
  {
    category: "rate_limited",
    usedBy: "Apple, Yahoo, Comcast",
    texts: ["[bs02]", "[hcm1]", "[tss04]", "[tss05]", "rl0000"],
  },
  {
    category: "rate_limited",
    usedBy: "Outlook.com",
    scope: "sending_address",
    texts: ["ib007", "rp-001", "rp-002", "rp-003", "(s775)"],
  },
  {
    category: "rate_limited",
    usedBy: "Orange, NetEase",
    texts: ["ofr004_104", "ofr_108", "rp:orq", "rp:qrc", "rp:trc", "rp:drc", "rp:cel"],
  },
  {
    category: "reputation",
    usedBy: "Outlook.com, Yahoo, Orange, Comcast, NetEase: blocks of an address",
    scope: "sending_address",
    texts: [
      "(s3140)",
      "(s3150)",
      "[bl21]",
      "[bl22]",
      "[bl23]",
      "[ipts04]",
      "ofr_999",
      "ofr006_102",
      "bl0000",
      "hl:rep",
    ],
  },
  {
    category: "reputation",
    usedBy: "Cox: lists that name the address",
    scope: "sending_address",
    texts: ["ipbl0", "ipbl1", "cxbl", "cdrbl"],
  },
  {
    category: "authentication",
    usedBy: "Cox, GoDaddy, Orange: the address has no name in DNS, or the EHLO name is not valid",
    scope: "sending_address",
    texts: ["cxdns", "ib108", "ofr_107", "ofr#_107", "ofr_20", "ofr#_20"],
  },
  {
    category: "authentication",
    usedBy: "Cox, GoDaddy, Orange: the sending domain's MX, address, SPF, DKIM or DMARC records",
    scope: "sending_domain",
    texts: [
      "cxsndr",
      "ib506",
      "ib508",
      "ofr_405",
      "ofr#_405",
      "ofr_415",
      "ofr#_415",
      "ofr_517",
      "ofr#_517",
      "ofr_535",
      "ofr#_535",
    ],
  },
  {
    category: "reputation",
    usedBy: "Microsoft 365: its own user sends spam",
    scope: "message",
    texts: ["access denied, bad outbound sender"],
  },
  { category: "reputation", usedBy: "Apple", texts: ["[hm08]"] },
  {
    category: "content",
    usedBy: "Apple, NetEase, Orange",
    texts: ["[cs01]", "[cs02]", "dt:spm", "ofr_402", "ofr_506"],
  },
  {
    category: "policy",
    usedBy: "Google: 4.7.29 for a message without TLS, which the registry has for ARC",
    texts: ["wasn't sent over a tls", "not sent over a tls", "sent without tls"],
  },
];
