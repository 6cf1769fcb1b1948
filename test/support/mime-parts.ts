/** The leaves of generated MIME messages: texts and files in each transfer encoding, with lines that SMTP could change. */
import type { Prng } from "../../simulate/prng.ts";
import {
  CRLF,
  type GeneratedLeaf,
  LINE_OCTETS_MAX,
  latin1,
  type MimeEntity,
  utf8AsOctets,
  words,
} from "./mime-text.ts";

type Encoding = "7bit" | "8bit" | "binary" | "base64" | "quoted-printable";

interface Draft {
  /** Lower case. */
  type: string;
  /** What follows the type in its field, in octets. */
  parameters: string;
  encoding: Encoding;
  octets: Buffer;
}

/** Returns a leaf. `isStrict`: its header is UTF-8. */
export function leafPart(random: Prng, isStrict: boolean): MimeEntity {
  const draft = random.pick([asciiText, utf8Text, otherText, binary, encodedFile, quotedText, empty])(random);
  const { type, parameters, encoding, octets } = draft;
  const name = random.pick(["Content-Type", "content-type", "CONTENT-TYPE"]);
  const fields = [`${name}: ${type}${parameters}\r\n`];
  if (encoding !== "7bit" || random.chance(0.5)) {
    const written = random.chance(0.2) ? encoding.toUpperCase() : encoding;
    fields.unshift(`Content-Transfer-Encoding: ${written}\r\n`);
  }
  if (random.chance(0.2)) fields.push(disposition(random, isStrict));
  const isBareText = type === "text/plain" && encoding === "7bit";
  const leaf: GeneratedLeaf = { type, octets, isBase64: encoding === "base64", isBareText };
  return { fields, body: encoded(random, draft), isLeaf: true, leaves: [leaf] };
}

function disposition(random: Prng, isStrict: boolean): string {
  const names = [
    'filename="a.pdf"',
    "filename*=utf-8''%E2%82%AC%20rates",
    'filename*0="a very ";\r\n filename*1="long name"',
    utf8AsOctets('filename="Rechnung für März.pdf"'),
  ];
  // ISO 8859-1, as old programs write it.
  if (!isStrict) names.push('filename="Rechnung f\u00fcr.pdf"');
  return `Content-Disposition: attachment; ${random.pick(names as [string, ...string[]])}\r\n`;
}

/** Lines that a careless program could take for the end of a message, for commands or for stuffed dots. */
const ODD_LINES = [
  ".",
  "..",
  "...",
  ".a",
  "..a",
  ". ",
  ".\t",
  " .",
  "",
  "",
  "QUIT",
  "RSET",
  "DATA",
  "MAIL FROM:<eve@evil.example>",
  "From here on",
  ">From there",
  "-- ",
  "--",
  "--=_other",
  "=",
  "=20",
  " leading",
  "trailing \t ",
  "\t",
  "   ",
  "Bcc: eve@evil.example",
  "RCPT TO:<eve@evil.example>",
  "\u001b[31m",
  "\u000b\u000c",
  "\u007f",
  "\u001a",
] as const;

function asciiLine(random: Prng): string {
  const draw = random.next();
  if (draw < 0.4) return random.pick(ODD_LINES);
  if (draw < 0.45) return words(random, LINE_OCTETS_MAX - 1).padEnd(LINE_OCTETS_MAX, "x");
  if (draw < 0.48) return `.${words(random, LINE_OCTETS_MAX - 2)}`.padEnd(LINE_OCTETS_MAX, "x");
  return words(random, random.integer(0, 90));
}

/** Lines, of which the last may have no end. */
function lines(random: Prng, line: (random: Prng) => string): string {
  const all = Array.from({ length: random.integer(1, 16) }, () => line(random)).join("\r\n");
  return random.chance(0.5) ? all : all + random.pick(["\r\n", "\r\n\r\n\r\n", "\r\n \r\n\t\r\n"]);
}

const asciiText = (random: Prng): Draft => ({
  type: random.pick(["text/plain", "text/html", "text/calendar"]),
  parameters: random.pick(["", "; charset=us-ascii", '; charset="US-ASCII"; format=flowed', ";\r\n\tcharset=ascii"]),
  encoding: "7bit",
  octets: latin1(lines(random, asciiLine)),
});

const TEXTS = [
  "Grüße aus Köln",
  "你好，世界",
  "👋🏽 Привет",
  "مرحبا",
  "\u00a0\u2028\u2029\u0085",
  "\ufeffBOM",
  "é".repeat(499),
];

const utf8Text = (random: Prng): Draft => ({
  type: random.pick(["text/plain", "text/html"]),
  parameters: random.pick(["; charset=utf-8", '; charset="UTF-8"', "; CHARSET=utf8", ""]),
  encoding: "8bit",
  octets: latin1(
    lines(random, (from) => (from.chance(0.5) ? asciiLine(from) : utf8AsOctets(from.pick(TEXTS as [string])))),
  ),
});

const CHARSETS =
  "iso-8859-15 koi8-r windows-1251 windows-1256 gb18030 shift_jis big5 euc-kr x-mac-roman nonsense".split(" ");

const otherText = (random: Prng): Draft => ({
  type: "text/plain",
  parameters: `; charset=${random.pick(CHARSETS as [string, ...string[]])}`,
  encoding: "8bit",
  octets: latin1(lines(random, (from) => (from.chance(0.3) ? asciiLine(from) : anyOctets(from, from.integer(0, 120))))),
});

/** All octets but NUL, CR and LF, in an order of their own. */
const OCTETS = Array.from({ length: 4096 }, (_, n) => String.fromCharCode((n * 167 + (n >> 8)) % 256))
  .join("")
  .replace(/[\0\r\n]/g, "");

/** At most 998. */
function anyOctets(random: Prng, count: number): string {
  const from = random.integer(0, OCTETS.length - count);
  return OCTETS.slice(from, from + count);
}

const binary = (random: Prng): Draft => ({
  type: "application/octet-stream",
  parameters: random.pick(["", '; name="x.bin"']),
  encoding: random.pick(["8bit", "binary"]),
  octets: latin1(lines(random, (from) => anyOctets(from, from.chance(0.1) ? LINE_OCTETS_MAX : from.integer(0, 200)))),
});

const encodedFile = (random: Prng): Draft => ({
  type: random.pick(["image/png", "application/pdf", "text/plain"]),
  parameters: random.pick(["", '; name="x.png"', '; name="=?utf-8?B?w7wucG5n?="']),
  encoding: "base64",
  octets: latin1(anyOctets(random, random.integer(0, 2000))),
});

const quotedText = (random: Prng): Draft => ({
  type: "text/html",
  parameters: "; charset=utf-8",
  encoding: "quoted-printable",
  octets: latin1(lines(random, (from) => (from.chance(0.5) ? asciiLine(from) : utf8AsOctets("<p>Grüße =</p>")))),
});

const empty = (random: Prng): Draft => ({
  type: random.pick(["text/plain", "application/octet-stream"]),
  parameters: "",
  encoding: random.pick(["7bit", "8bit"]),
  octets: random.chance(0.7) ? Buffer.alloc(0) : CRLF,
});

function encoded(random: Prng, { encoding, octets }: Draft): Buffer {
  if (encoding === "base64") return latin1(inBase64(random, octets));
  return encoding === "quoted-printable" ? latin1(inQuotedPrintable(octets)) : octets;
}

function inBase64(random: Prng, octets: Buffer): string {
  const width = random.pick([76, 76, 60, 4, 998]);
  return (octets.toString("base64").match(new RegExp(`.{1,${width}}`, "g")) ?? []).join("\r\n");
}

function inQuotedPrintable(octets: Buffer): string {
  const escaped = octets
    .toString("latin1")
    .split("\r\n")
    .map((line) => line.replace(/[^!-<>-~ ]| $|^\./g, (octet) => `=${hex(octet)}`));
  return escaped.map((line) => (line.match(/(?:=..|[^=]){1,24}/g) ?? [""]).join("=\r\n")).join("\r\n");
}

const hex = (octet: string): string => octet.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0");
