/**
 * Decides whether a known feedback loop has signed a mail (DKIM, RFC 6376), so that what its report says can be believed. Only these
 * signatures are looked at, and no key of anybody else is needed: the caller looks up at most SIGNATURES_MAX keys.
 *
 * A signature counts only if it covers From and To, From is the loop's, and To is the address that the mail came to: a report that was
 * genuinely sent to somebody else proves nothing here. It must cover the whole body (no l=), and not have expired when the mail arrived.
 * mailauth verifies it. Its input has only these signatures, so that it looks at no other and at no ARC chain.
 */
import type { DNSResolver } from "mailauth";
import { addressesIn } from "./addresses.ts";
import { loopOf } from "./known-loops.ts";

/** A loop signs once. */
export const SIGNATURES_MAX = 2;
/**
 * A longer mail counts as unsigned. mailauth copies each line that canonicalization changes: for 10 MiB of lines of a space and a tab it
 * took 1 GB.
 */
const MAIL_OCTETS_MAX = 1024 * 1024;
const BODY_LINES_MAX = 20_000;
const HEADER_OCTETS_MAX = 64 * 1024;
const HEADER_LINES_MAX = 1000;
const SIGNATURE_LENGTH_MAX = 4096;
/** SHA-1 proves nothing (RFC 8301). */
const ALGORITHMS: ReadonlySet<string> = new Set(["rsa-sha256", "ed25519-sha256"]);

export interface Arrival {
  /** The address that RCPT named. */
  recipient: string;
  receivedAtMs: number;
}

/** The texts of the TXT records by name. */
export type LoopKeys = ReadonlyMap<string, readonly string[]>;

/**
 * The names of the TXT records that have the keys of the mail's signatures; at most SIGNATURES_MAX, and none unless they could count.
 * Examines only the header.
 */
export function loopKeyNames(raw: Buffer, arrival: Arrival): string[] {
  const names = readSigned(raw, arrival)?.signatures.map(({ keyName }) => keyName) ?? [];
  return [...new Set(names)];
}

/** Whether one of the signatures verifies with these keys. Takes time that grows with the length of the mail. */
export async function isSignedByLoop(raw: Buffer, arrival: Arrival, keys: LoopKeys): Promise<boolean> {
  const signed = readSigned(raw, arrival);
  if (signed === null || signed.signatures.length === 0 || !hasShortForm(signed.body)) return false;
  const fields = [...signed.signatures.map(({ field }) => field), ...signed.others].map(({ text }) => text);
  const header = Buffer.from(`${fields.join("\r\n")}\r\n\r\n`, "latin1");
  // Its modules take memory, and are seldom needed. In a bundle, a library of CommonJS has only its default export.
  const { default: verify } = await import("mailauth/lib/dkim/verify.js");
  const { results } = await verify.dkimVerify(Buffer.concat([header, signed.body]), {
    resolver: keyResolver(keys),
    curTime: new Date(arrival.receivedAtMs),
  });
  return results.some(({ status }) => status.result === "pass");
}

interface Field {
  /** In lower case. */
  name: string;
  /** As it is written, with its line ends but the last. */
  text: string;
  /** Unfolded. */
  value: string;
}

interface Signature {
  field: Field;
  keyName: string;
}

interface Signed {
  signatures: Signature[];
  /** The fields besides signatures and ARC. */
  others: Field[];
  body: Buffer;
}

function readSigned(raw: Buffer, { recipient, receivedAtMs }: Arrival): Signed | null {
  if (raw.length > MAIL_OCTETS_MAX) return null;
  const end = raw.subarray(0, HEADER_OCTETS_MAX).indexOf("\r\n\r\n");
  const fields = end === -1 ? null : headerFields(raw.toString("latin1", 0, end));
  if (fields === null) return null;
  const from = soleAddress(fields, "from");
  if (from === null || soleAddress(fields, "to") !== recipient.toLowerCase()) return null;
  const fromDomain = from.slice(from.lastIndexOf("@") + 1);
  const signatures: Signature[] = [];
  for (const field of fields) {
    const keyName = field.name === "dkim-signature" ? keyNameOf(field.value, { fromDomain, receivedAtMs }) : null;
    if (keyName !== null && signatures.length < SIGNATURES_MAX) signatures.push({ field, keyName });
  }
  const others = fields.filter(({ name }) => name !== "dkim-signature" && !name.startsWith("arc-"));
  return { signatures, others, body: raw.subarray(end + 4) };
}

/** Null unless every line is a field or continues one: readers agree on no other header. */
function headerFields(header: string): Field[] | null {
  const lines = header.split("\r\n");
  if (lines.length > HEADER_LINES_MAX) return null;
  const fields: Field[] = [];
  for (const line of lines) {
    if (/[\r\n\0]/.test(line)) return null;
    const last = fields.at(-1);
    if (last !== undefined && /^[ \t]/.test(line)) {
      last.text += `\r\n${line}`;
      last.value += line;
      continue;
    }
    const colon = line.indexOf(":");
    const name = line.slice(0, Math.max(colon, 0));
    if (!/^[!-9;-~]+$/.test(name)) return null;
    fields.push({ name: name.toLowerCase(), text: line, value: line.slice(colon + 1) });
  }
  return fields;
}

/** The only address of the only field of this name, in lower case; null if there are others. */
function soleAddress(fields: readonly Field[], name: string): string | null {
  const [field, ...others] = fields.filter((each) => each.name === name);
  const addresses = field === undefined || others.length > 0 ? [] : addressesIn(field.value);
  return addresses.length === 1 ? (addresses[0]?.toLowerCase() ?? null) : null;
}

interface Context {
  fromDomain: string;
  receivedAtMs: number;
}

/** Returns the name of the key of a signature; null if it does not count, whatever the key. */
function keyNameOf(value: string, { fromDomain, receivedAtMs }: Context): string | null {
  const tags = signatureTags(value);
  if (tags === null || tags.has("l")) return null;
  const signed = new Set(tags.get("h")?.toLowerCase().split(":"));
  const [signer, selector, expiry] = [tags.get("d")?.toLowerCase() ?? "", tags.get("s") ?? "", tags.get("x")];
  const isOfLoop = loopOf(signer, fromDomain) !== null && /^[\w.-]{1,63}$/.test(selector);
  const isExpired = expiry !== undefined && !(Number(expiry) * 1000 > receivedAtMs);
  if (!isOfLoop || isExpired || !signed.has("from") || !signed.has("to")) return null;
  if (tags.get("v") !== "1" || !ALGORITHMS.has(tags.get("a")?.toLowerCase() ?? "")) return null;
  return `${selector}._domainkey.${signer}`.toLowerCase();
}

/** Returns the tags in lower case, their values without white space; null if they could be read in several ways. */
function signatureTags(value: string): Map<string, string> | null {
  if (value.length > SIGNATURE_LENGTH_MAX || !/^[\w=;:.,/+@ \t*-]*$/.test(value)) return null;
  const tags = new Map<string, string>();
  for (const tag of value.split(";")) {
    const equals = tag.indexOf("=");
    const name = tag.slice(0, Math.max(equals, 0)).trim().toLowerCase();
    if (tag.trim() === "") continue;
    if (!/^[a-z]+$/.test(name) || tags.has(name)) return null;
    tags.set(name, tag.slice(equals + 1).replace(/[ \t]/g, ""));
  }
  return tags;
}

/** Whether the body has few lines, each with CRLF: a signer writes it, and mailauth takes a step of the event loop for each bare LF. */
function hasShortForm(body: Buffer): boolean {
  let lines = 0;
  for (let at = body.indexOf(LF); at !== -1; at = body.indexOf(LF, at + 1)) {
    lines += 1;
    if (lines > BODY_LINES_MAX || body[at - 1] !== CR) return false;
  }
  return true;
}

const [CR, LF] = [0x0d, 0x0a];

/** A signer that tests its keys signs nothing (t=y, RFC 6376 §3.6.1); with several records, the key is undefined. */
function keyResolver(keys: LoopKeys): DNSResolver {
  return async (name) => {
    const [text, ...others] = keys.get(name.toLowerCase()) ?? [];
    if (text === undefined || others.length > 0 || TESTING.test(text))
      throw Object.assign(new Error(`no key at ${name}`), { code: "ENODATA" });
    return [[text]];
  };
}

const TESTING = /(?:^|;)[ \t]*t[ \t]*=[^;]*y/i;
