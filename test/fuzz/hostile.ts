/** Shared by the fuzz tests: the number of runs, and texts as an attacker would write them. */
import fc from "fast-check";

/**
 * All runs in CI, a quarter elsewhere; `FUZZ=10` makes ten times as many as CI. A failing run prints its seed, which
 * fast-check accepts.
 */
const FACTOR = Number(process.env.FUZZ ?? (process.env.CI === "true" ? 1 : 0.25));

export const runs = (count: number): { numRuns: number } => ({ numRuns: Math.ceil(count * FACTOR) });

const FRAGMENTS = [
  "\r\nBcc: eve@evil.example",
  "\nBcc: eve@evil.example",
  "\rBcc: eve@evil.example",
  "\r\n\r\n<script>",
  "\r\n.\r\nMAIL FROM:<eve@evil.example>\r\n",
  "\n.\n",
  "\r.\r",
  "\r\n..\r\n.",
  "=?utf-8?Q?=0D=0ABcc:_eve@evil.example?=",
  "=?utf-8?B?DQpCY2M6IGV2ZUBldmlsLmV4YW1wbGU=?=",
  "\u2028Bcc: eve@evil.example",
  "\u0085Bcc: eve@evil.example",
  "\u0000",
  "\ud800",
  "\u202e",
  "\ufeff",
  "<>",
  ">,<eve@evil.example>",
  '"',
  '\\"',
  "\\",
  "(comment)",
  "@",
  "%0d%0a",
  "a@b.example",
  "[127.0.0.1]",
  "xn--",
  "ﬀ",
  "。",
  "../../etc/passwd",
  "' OR 1=1 --",
  "__proto__",
  "x".repeat(1100),
];

/**
 * Any code points, including unpaired surrogates. Equals fast-check's unit "binary", which first builds a table of
 * all code points in each process: a second of CPU.
 */
export const anyText = (maxLength: number): fc.Arbitrary<string> =>
  fc.array(fc.integer({ min: 0, max: 0x10ffff }), { maxLength }).map((points) => String.fromCodePoint(...points));

/** Any text, including texts assembled from an attacker's pieces. */
export const hostileText = fc.oneof(
  anyText(60),
  fc.string({ unit: "grapheme", maxLength: 60 }),
  fc
    .array(fc.oneof(fc.constantFrom(...FRAGMENTS), fc.string({ maxLength: 8 })), { maxLength: 6 })
    .map((parts) => parts.join("")),
);

/** The header fields of our messages. */
export const FIELDS: ReadonlySet<string> = new Set([
  "dkim-signature",
  "from",
  "to",
  "cc",
  "reply-to",
  "subject",
  "message-id",
  "date",
  "mime-version",
  "content-type",
  "content-transfer-encoding",
]);
