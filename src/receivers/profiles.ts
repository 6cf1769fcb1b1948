/**
 * What large receivers allow, require and reply: one profile each. A receiver is who runs mail exchangers; every receiver without a
 * profile is the organisational domain of its exchangers' names (receiver.ts). Limits are ceilings: delivery/throttle/ stays below
 * them, and an operator's limit replaces them.
 *
 * Collected in November 2026. `source` names where a profile's facts are from: KumoMTA's shaping files (shaping.toml and the
 * community's community/shaping.toml, August 2026), the receiver's page for senders, or reports of senders, which are weaker.
 */

/** Ceilings. Absent where none is known. */
export interface ReceiverLimits {
  /** Connections at one time. */
  connections?: number;
  messagesPerConnection?: number;
  messagesPerMinute?: number;
}

/** Replies after which a receiver wants no mail for a time. */
export interface ReceiverPause {
  /** Texts of such replies, in lower case. */
  after: readonly string[];
  seconds: number;
  /** One such reply may be of one host or one moment: the pause begins when several in a row have closed the destination. */
  onceClosed?: true;
}

export interface ReceiverProfile {
  /** Lower-case letters, digits and hyphens, so that it differs from every domain. */
  name: string;
  /** For people. */
  label: string;
  /** Domains: an exchanger belongs to the receiver if its name is one of them or below it. The longest match of all profiles counts. */
  mx: readonly string[];
  limits: ReceiverLimits;
  pauses?: readonly ReceiverPause[];
  /** It refuses messages that arrive without TLS. */
  requiresTls?: true;
  /** The step of the session at which it refuses an address that it does not want. */
  judgesAt: "greeting" | "mail" | "later";
  /** A domain whose mail it takes, to find an exchanger. Absent where each customer has its own exchangers. */
  example?: { domain: string };
  /** The names of the organization in its DMARC reports. */
  reportsAs?: readonly string[];
  /** What to do about a refusal, where it is special. */
  advice?: string;
  /** Its page for senders, and where delisting is requested. Absent where none is known. */
  sendersUrl?: string;
  delistingUrl?: string;
  source: string;
  /** When the facts were looked up, `YYYY-MM`. */
  asOf: string;
}

const MINUTE_S = 60;
const HOUR_S = 3600;

const KUMOMTA = "KumoMTA, shaping.toml";
const COMMUNITY = "KumoMTA, community/shaping.toml";

/**
 * KumoMTA's community pauses for 30 minutes after three to five of these replies in an hour. Half of it, because one message at its end
 * finds out whether the receiver takes mail again.
 */
const MICROSOFT_PAUSE: ReceiverPause = {
  after: ["temporarily rate limited", "server busy. please try again later"],
  seconds: 15 * MINUTE_S,
  onceClosed: true,
};

export const PROFILES: readonly ReceiverProfile[] = [
  {
    name: "gmail",
    label: "Gmail and Google Workspace",
    mx: ["google.com", "googlemail.com"],
    limits: { connections: 5, messagesPerConnection: 50 },
    pauses: [{ after: ["an unusual rate of"], seconds: 15 * MINUTE_S, onceClosed: true }],
    requiresTls: true,
    judgesAt: "later",
    example: { domain: "gmail.com" },
    reportsAs: ["google.com"],
    sendersUrl: "https://support.google.com/a/answer/81126",
    delistingUrl: "https://support.google.com/mail/contact/gmail_bulk_sender_escalation",
    source: `${KUMOMTA}; ${COMMUNITY}`,
    asOf: "2026-08",
  },
  {
    name: "outlook",
    label: "Outlook.com, Hotmail and Live",
    mx: ["olc.protection.outlook.com"],
    limits: { connections: 5, messagesPerConnection: 50 },
    pauses: [MICROSOFT_PAUSE],
    judgesAt: "mail",
    example: { domain: "outlook.com" },
    reportsAs: ["Outlook.com"],
    sendersUrl: "https://sendersupport.olc.protection.outlook.com/pm/policies.aspx",
    delistingUrl: "https://olcsupport.office.com/",
    source: `${KUMOMTA}; ${COMMUNITY}`,
    asOf: "2026-08",
  },
  {
    name: "microsoft-365",
    label: "Microsoft 365",
    mx: ["mail.protection.outlook.com", "mx.microsoft"],
    limits: { connections: 5, messagesPerConnection: 50 },
    pauses: [MICROSOFT_PAUSE],
    judgesAt: "mail",
    example: { domain: "microsoft.com" },
    reportsAs: ["Enterprise Outlook"],
    delistingUrl: "https://sender.office.com/",
    source: `${KUMOMTA}; ${COMMUNITY}`,
    asOf: "2026-08",
  },
  {
    name: "yahoo",
    label: "Yahoo and AOL",
    mx: ["yahoodns.net"],
    limits: { messagesPerConnection: 20 },
    pauses: [
      { after: ["[tss04]", "[ts04]", "[ipts04]"], seconds: 2 * HOUR_S },
      { after: ["[tss05]", "[ipts05]"], seconds: 4 * HOUR_S },
      { after: ["[bl21]", "[bl22]", "[bl23]"], seconds: 2 * HOUR_S },
    ],
    judgesAt: "mail",
    example: { domain: "yahoo.com" },
    reportsAs: ["Yahoo", "yahoo.com", "Yahoo! Inc.", "AOL"],
    sendersUrl: "https://senders.yahooinc.com/",
    delistingUrl: "https://senders.yahooinc.com/contact",
    source: KUMOMTA,
    asOf: "2026-08",
  },
  {
    name: "yahoo-japan",
    label: "Yahoo! Japan",
    mx: ["mail.yahoo.co.jp"],
    limits: { connections: 2, messagesPerConnection: 20, messagesPerMinute: 600 },
    pauses: [{ after: ["vs98-ip0", "[tss04]", "[ipts04]"], seconds: HOUR_S }],
    judgesAt: "mail",
    example: { domain: "yahoo.co.jp" },
    source: COMMUNITY,
    asOf: "2026-08",
  },
  {
    name: "icloud",
    label: "iCloud Mail",
    mx: ["icloud.com"],
    limits: { connections: 10, messagesPerConnection: 5 },
    pauses: [{ after: ["[hcm1]", "[bs02]"], seconds: 15 * MINUTE_S }],
    judgesAt: "later",
    example: { domain: "icloud.com" },
    sendersUrl: "https://support.apple.com/102322",
    source: `${KUMOMTA}; ${COMMUNITY}`,
    asOf: "2026-08",
  },
  {
    name: "gmx",
    label: "GMX and web.de",
    mx: ["gmx.net", "web.de"],
    limits: { connections: 4, messagesPerConnection: 20 },
    pauses: [{ after: ["reject due to policy restrictions"], seconds: 2 * HOUR_S }],
    requiresTls: true,
    judgesAt: "greeting",
    example: { domain: "gmx.net" },
    sendersUrl: "https://postmaster.gmx.net/",
    delistingUrl: "https://postmaster.gmx.net/en/contact",
    source: `${COMMUNITY}; postmaster page`,
    asOf: "2026-08",
  },
  {
    name: "orange",
    label: "Orange and Wanadoo",
    mx: ["orange.fr", "wanadoo.fr"],
    limits: { connections: 2, messagesPerConnection: 100 },
    pauses: [{ after: ["ofr_999", "service refuse"], seconds: HOUR_S }],
    requiresTls: true,
    judgesAt: "mail",
    example: { domain: "orange.fr" },
    sendersUrl: "https://messagerie.orange.fr/postmaster.html",
    source: KUMOMTA,
    asOf: "2026-08",
  },
  {
    name: "comcast",
    label: "Comcast",
    mx: ["comcast.net"],
    limits: { connections: 25, messagesPerConnection: 1000 },
    requiresTls: true,
    judgesAt: "greeting",
    example: { domain: "comcast.net" },
    sendersUrl: "https://spa.xfinity.com/help/postmaster",
    delistingUrl: "https://spa.xfinity.com/report",
    source: `${KUMOMTA}; postmaster page`,
    asOf: "2026-08",
  },
  {
    name: "proofpoint",
    label: "Proofpoint",
    mx: ["pphosted.com", "ppe-hosted.com"],
    limits: {},
    judgesAt: "greeting",
    example: { domain: "proofpoint.com" },
    delistingUrl: "https://ipcheck.proofpoint.com/",
    source: "replies that name the page",
    asOf: "2026-08",
  },
  ...mimecast(),
  {
    name: "mail-ru",
    label: "Mail.ru",
    mx: ["mail.ru"],
    limits: { connections: 10 },
    judgesAt: "later",
    example: { domain: "mail.ru" },
    reportsAs: ["Mail.Ru"],
    sendersUrl: "https://postmaster.mail.ru/",
    source: "reports of senders",
    asOf: "2026-11",
  },
  {
    name: "yandex",
    label: "Yandex",
    mx: ["yandex.ru", "yandex.net"],
    limits: { connections: 10 },
    judgesAt: "later",
    example: { domain: "yandex.ru" },
    sendersUrl: "https://postoffice.yandex.com/",
    source: "reports of senders",
    asOf: "2026-11",
  },
  {
    name: "qq",
    label: "QQ and Tencent",
    mx: ["qq.com"],
    limits: { connections: 4, messagesPerConnection: 8 },
    pauses: [{ after: ["frequency limited"], seconds: HOUR_S }],
    requiresTls: true,
    judgesAt: "later",
    example: { domain: "qq.com" },
    source: COMMUNITY,
    asOf: "2026-08",
  },
  {
    name: "netease",
    label: "NetEase: 163 and 126",
    mx: ["netease.com"],
    limits: { connections: 4, messagesPerConnection: 7 },
    pauses: [{ after: ["rp:orq", "rp:qrc", "rp:trc"], seconds: HOUR_S }],
    requiresTls: true,
    judgesAt: "later",
    example: { domain: "163.com" },
    source: COMMUNITY,
    asOf: "2026-08",
  },
  {
    name: "t-online",
    label: "T-Online",
    mx: ["t-online.de"],
    limits: {},
    judgesAt: "greeting",
    example: { domain: "t-online.de" },
    advice:
      "It rejects addresses that it does not know: serve a page with contact data at the server's name (CONTACT_PAGE_FILE), then ask it to open the address.",
    sendersUrl: "https://postmaster.t-online.de/",
    delistingUrl: "https://postmaster.t-online.de/",
    source: "postmaster page",
    asOf: "2026-11",
  },
  {
    name: "barracuda",
    label: "Barracuda",
    mx: ["barracudanetworks.com"],
    limits: { connections: 10, messagesPerConnection: 15 },
    requiresTls: true,
    judgesAt: "greeting",
    delistingUrl: "https://www.barracudacentral.org/rbl/removal-request",
    source: COMMUNITY,
    asOf: "2026-08",
  },
  {
    name: "kpn",
    label: "KPN",
    mx: ["kpnmail.nl"],
    limits: { connections: 10, messagesPerConnection: 10 },
    requiresTls: true,
    judgesAt: "mail",
    example: { domain: "kpnmail.nl" },
    source: COMMUNITY,
    asOf: "2026-08",
  },
  {
    name: "netvigator",
    label: "Netvigator",
    mx: ["netvigator.com"],
    limits: { connections: 5, messagesPerConnection: 10 },
    pauses: [{ after: ["too many messages for this session"], seconds: 30 * MINUTE_S }],
    requiresTls: true,
    judgesAt: "mail",
    example: { domain: "netvigator.com" },
    source: COMMUNITY,
    asOf: "2026-08",
  },
];

/** Each region of Mimecast has its own limits and its own greylist. Those outside mimecast.com have their own domains. */
function mimecast(): ReceiverProfile[] {
  const domains: Readonly<Record<string, string>> = { za: "mimecast.co.za", je: "mimecast-offshore.com" };
  return ["us", "usb", "eu", "de", "uk", "za", "au", "ca", "je"].map((region) => ({
    name: `mimecast-${region}`,
    label: `Mimecast, region ${region}`,
    mx: [1, 2].map((host) => `${region}-smtp-inbound-${host}.${domains[region] ?? "mimecast.com"}`),
    limits: { connections: 10, messagesPerConnection: 100 },
    judgesAt: "later",
    delistingUrl: "https://community.mimecast.com/",
    source: KUMOMTA,
    asOf: "2026-08",
  }));
}
