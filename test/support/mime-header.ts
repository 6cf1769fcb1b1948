/** The header fields of generated messages: in odd order and case, folded, long, repeated, empty, with all forms of Bcc. */
import type { Prng } from "../../simulate/prng.ts";
import { LINE_OCTETS_MAX, oneOf, token, utf8AsOctets, words } from "./mime-text.ts";

export interface AddressedOptions {
  /** Unique, for the Message-ID. */
  number: number;
  /** Of the envelope. */
  recipients: readonly string[];
}

/** A domain that is verified for the sender, and one below it. */
const DOMAINS = ["shop.example", "news.shop.example"] as const;

/** Returns the fields in octets, with their line ends: those of the entity, those that a message needs, and many others. */
export function messageFields(random: Prng, options: AddressedOptions, mime: readonly string[]): string[] {
  const fields = [
    from(random),
    ...(random.chance(0.9) ? [to(random, options)] : []),
    ...(random.chance(0.9) ? [`Subject:${subject(random)}\r\n`] : []),
    ...messageId(random, options),
    ...date(random),
    ...hidden(random),
    ...others(random),
    ...own(random, options),
    ...(random.chance(0.9) ? [random.pick(MIME_VERSIONS)] : []),
    ...mime,
  ];
  return shuffled(random, fields).map((field) => inOddCase(random, field));
}

const MIME_VERSIONS = [
  "MIME-Version: 1.0\r\n",
  "Mime-Version: 1.0 (produced by a program)\r\n",
  "mime-version:1.0\r\n",
] as const;

function from(random: Prng): string {
  const address = `hello@${random.pick(DOMAINS)}`;
  const forms = [
    address,
    `<${address}>`,
    `Shop <${address}>`,
    `"Shop, Inc." <${address}>`,
    `"A \\"B\\" C"\r\n <${address}>`,
    `${address} (our (small) shop)`,
    `=?iso-8859-2?Q?Kr=E1lik?= <${address}>`,
    `${utf8AsOctets("Jörg Müller")} <${address}>`,
    `=?utf-8?B?5bqX?=\r\n =?utf-8?B?6ZW3?=\r\n\t<${address}>`,
  ] as const;
  return `From: ${random.pick(forms)}\r\n`;
}

function to(random: Prng, { recipients }: AddressedOptions): string {
  const many = (): string[] =>
    Array.from({ length: random.integer(20, 100) }, (_, n) => `"Person ${n}" <p${n}@elsewhere.example>`);
  const value = oneOf(random, [
    () => recipients.join(", "),
    () => recipients.map((address) => `"Doe, Jane" <${address}>`).join(",\r\n\t"),
    () => (random.chance(0.3) ? [...many(), ...recipients].join(",\r\n ") : recipients.join(",\r\n ")),
    () => "undisclosed-recipients:;",
    () => `Team: ${recipients.join(", ")}, other@elsewhere.example;`,
    () => "",
  ]);
  return `To: ${value}\r\n`;
}

const SUBJECTS = [
  " Hello",
  "",
  " ",
  "  two  blanks\tand a tab \t ",
  " =?utf-8?B?R3LDvMOfZQ==?=",
  " =?iso-8859-1?q?Gr=FC=DFe?=\r\n =?koi8-r?B?8NLJ18XU?=",
  " =?iso-2022-jp?B?GyRCPz05PhsoQg==?= =?gb18030?Q?=C4=E3?= =?windows-1256?B?48zN?=",
  " =?x-unheard-of?Q?=FF=FE?= =?utf-8?B?not base64?= =?utf-8?Q?=ZZ?=",
  utf8AsOctets(" Grüße — 你好"),
  `\r\n ${"x".repeat(LINE_OCTETS_MAX - 1)}`,
] as const;

function subject(random: Prng): string {
  if (random.chance(0.95)) return random.pick(SUBJECTS);
  const long = words(random, 4000).replace(/(.{60}) /g, "$1\r\n ");
  return ` ${long.trim()}`;
}

function messageId(random: Prng, { number }: AddressedOptions): string[] {
  const draw = random.next();
  if (draw < 0.08) return [];
  if (draw < 0.1) return ["Message-ID: \r\n"];
  const forms = [
    `<${number}.a@client.example>`,
    `<${number}@[127.0.0.1]>`,
    `\r\n <${number}.${token(random, 300)}@c>`,
  ] as const;
  return [`Message-ID: ${random.pick(forms)}\r\n`];
}

function date(random: Prng): string[] {
  const draw = random.next();
  if (draw < 0.08) return [];
  if (draw < 0.1) return ["Date:\r\n"];
  return [
    random.pick(["Date: Mon, 2 Nov 2026 10:00:00 +0000\r\n", "Date: 2 Nov 26 10:00 EST (odd)\r\n", "Date: today\r\n"]),
  ];
}

/** Fields that must not arrive. */
function hidden(random: Prng): string[] {
  const bcc = [
    "Bcc: hidden@elsewhere.example\r\n",
    "bcc:hidden@elsewhere.example,\r\n\thidden2@elsewhere.example\r\n",
    "BCC: \r\n",
    "Bcc:\r\n",
    "Bcc: =?utf-8?Q?hidden?= <hidden@elsewhere.example>\r\n",
    "Bcc: Hidden: hidden@elsewhere.example, b@elsewhere.example;\r\n",
    "Bcc : hidden@elsewhere.example\r\n",
    `Bcc: ${utf8AsOctets("Ärger")} <hidden@elsewhere.example>\r\n`,
  ] as const;
  const resent = ["Resent-Bcc: hidden@elsewhere.example\r\n", "resent-bcc: hidden2@elsewhere.example\r\n"] as const;
  const paths = ["Return-Path: <>\r\n", "Return-path: <hidden@elsewhere.example>\r\n"];
  return [
    ...(random.chance(0.3) ? [random.pick(bcc)] : []),
    ...(random.chance(0.1) ? resent.slice(0, random.integer(1, 2)) : []),
    ...(random.chance(0.2) ? paths.slice(0, random.integer(1, 2)) : []),
  ];
}

/** Fields for Postrider itself. */
function own(random: Prng, { number }: AddressedOptions): string[] {
  if (!random.chance(0.2)) return [];
  const forms: [string[], ...string[][]] = [
    ["X-Postrider-Tag: a\r\n", "x-postrider-tag:\r\n b\r\n"],
    ["X-Postrider-Metadata-order: =?utf-8?Q?=C3=BC?=\r\n"],
    ["X-POSTRIDER-EXPIRES-IN: 2h\r\n"],
    [`X-Postrider-Idempotency-Key: generated-${number}\r\n`],
  ];
  return random.pick(forms);
}

const RECEIVED =
  "Received: from a.example ([192.0.2.1])\r\n\tby b.example with ESMTP id 1;\r\n\tMon, 2 Nov 2026 10:00:00 +0000\r\n";

const OTHERS = [
  RECEIVED,
  "DKIM-Signature: v=1; a=rsa-sha256; d=elsewhere.example; s=x; h=from; bh=AAAA; b=AAAA\r\n",
  "ARC-Seal: i=1; a=rsa-sha256; cv=none; d=elsewhere.example; s=x; b=AAAA\r\n",
  "Authentication-Results: mx.elsewhere.example; spf=pass\r\n",
  "Resent-From: someone@elsewhere.example\r\n",
  "Resent-From: again@elsewhere.example\r\n",
  "X-Empty:\r\n",
  "X-Blank: \t \r\n",
  ".X-Dot: a line that begins with a dot\r\n",
  "..: two\r\n",
  "X-Obsolete : blank before the colon\r\n",
  "X-Folded:\r\n\t\ttabs\r\n   blanks\t\r\n .dot\r\n",
  "X-Blank-Line: a\r\n \r\n b\r\n",
  "X-Control: \u0001\u000b\u001b\u007f\r\n",
  `X-Raw: ${utf8AsOctets("Straße und Platz")}\r\n`,
  "Keywords: a\r\n",
  "Keywords: b\r\n",
  "List-Unsubscribe: <https://shop.example/u?a=1&b=2>\r\n",
  "List-Unsubscribe-Post: List-Unsubscribe=One-Click\r\n",
  "Reply-To: Team <team@elsewhere.example>\r\n",
  "Sender: =?utf-8?Q?J=C3=B6rg?= <sender@shop.example>\r\n",
  "Cc: a@elsewhere.example,\r\n b@elsewhere.example\r\n",
  "In-Reply-To: <x@elsewhere.example>\r\n",
] as const;

function others(random: Prng): string[] {
  const chosen: string[] = OTHERS.filter(() => random.chance(0.15));
  if (random.chance(0.1)) chosen.push(...Array(random.integer(1, 30)).fill(RECEIVED));
  return random.chance(0.1) ? [...chosen, random.pick(LONG)] : chosen;
}

const LONG = [
  `X-Long: ${"y".repeat(LINE_OCTETS_MAX - "X-Long: ".length)}\r\n`,
  `References: ${Array.from({ length: 150 }, (_, n) => `<${"reference".repeat(4)}${n}@c>`).join("\r\n ")}\r\n`,
  `X-Many-Lines: ${"z\r\n ".repeat(500)}end\r\n`,
] as const;

function shuffled<T>(random: Prng, things: T[]): T[] {
  for (let at = things.length - 1; at > 0; at -= 1) {
    const other = random.integer(0, at);
    [things[at], things[other]] = [things[other] as T, things[at] as T];
  }
  return things;
}

/** The name in another case. Names of metadata are kept as they are written. */
function inOddCase(random: Prng, field: string): string {
  if (!random.chance(0.2)) return field;
  const colon = field.indexOf(":");
  const name = field.slice(0, colon);
  return random.pick([name.toUpperCase(), name.toLowerCase()]) + field.slice(colon);
}
