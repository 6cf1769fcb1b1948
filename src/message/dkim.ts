/**
 * Decides how a message is signed (RFC 6376: rsa-sha256, relaxed/relaxed, no l=, no x=). Which key signs is for others.
 *
 * dkim-signer signs, but where its body hash is wrong or slow mailauth's body hash takes its place. Measured against
 * RFC 6376 §3.4, dkim-signer's hash is wrong for a blank body, and for bytes that are vertical tab, form feed, a
 * Unicode space or invalid UTF-8, since it works on decoded text with \s; its time grows with the square of a run of
 * white space. mailauth's whole signer is no way out: it takes the byte A0 in a header (as in "à") for a space, reads
 * the clock twice for one t= tag, and parses the key for each message. dkim-signer also leaves out a field that is there
 * but empty, such as the Subject, so that anybody could fill it in: such a field is added here. Neither can sign a From
 * field that is not there (oversigning): a second From is for the receiver to refuse (RFC 5322 §3.6).
 */
import { type KeyObject, sign } from "node:crypto";
import dkimSigner from "dkim-signer";
import { dkimBody } from "mailauth/lib/dkim/body/index.js";

const SIGNED_FIELDS = [
  "From:To:Cc:Subject:Date:Message-ID:Reply-To:MIME-Version:Content-Type:Content-Transfer-Encoding",
  "List-Unsubscribe:List-Unsubscribe-Post:List-Id:List-Help:List-Subscribe:List-Post:List-Owner:List-Archive",
].join(":");

/** From here on mailauth's hash is the faster one, and below it no run of white space costs noticeable time. */
const BODY_BYTES_MAX = 64 * 1024;
const WHITE_SPACE_RUN_MAX = 256;

export interface SigningKey {
  /** A-labels. */
  domain: string;
  selector: string;
  /** An RSA key. */
  privateKey: KeyObject;
}

/**
 * The DKIM-Signature field with its final CRLF, to be put before the content, which must have CRLF line ends only and,
 * in its header, valid UTF-8 without white space other than spaces and tabs. Of repeated fields the last is signed.
 */
export async function dkimSignature(content: Buffer, key: SigningKey): Promise<Buffer> {
  const headerEnd = content.indexOf("\r\n\r\n");
  const body = headerEnd < 0 ? Buffer.alloc(0) : content.subarray(headerEnd + 4);
  const headers = content.subarray(0, headerEnd < 0 ? content.length : headerEnd).toString();
  if (!hashesRight(body) || emptyFields(headers).length > 0) {
    return Buffer.from(`${signWithBodyHash(headers, bodyHash(body), key)}\r\n`);
  }
  const field = dkimSigner.DKIMSign(content, {
    domainName: key.domain,
    keySelector: key.selector,
    privateKey: key.privateKey,
    headerFieldNames: SIGNED_FIELDS,
  });
  return Buffer.from(`${field}\r\n`);
}

/** Whether dkim-signer's body hash is right, and quick: see above. */
function hashesRight(body: Buffer): boolean {
  if (body.length > BODY_BYTES_MAX) return false;
  let blank = true;
  let run = 0;
  for (const byte of body) {
    if (byte >= 0x80 || byte === 0x0b || byte === 0x0c) return false;
    const space = byte === 0x20 || byte === 0x09 || byte === 0x0d || byte === 0x0a;
    if (!space) blank = false;
    run = space ? run + 1 : 0;
    if (run > WHITE_SPACE_RUN_MAX) return false;
  }
  return !blank;
}

function bodyHash(body: Buffer): string {
  const hash = dkimBody("relaxed", "sha256", false);
  hash.update(body);
  // Changes nothing by RFC 6376 §3.4.4, but mailauth leaves a space at the end of an unfinished last line.
  if (body.at(-1) !== 0x0a) hash.update(Buffer.from("\r\n"));
  return hash.digest("base64");
}

/** The fields to sign that have no text, in lower case; of repeated ones the last counts. */
function emptyFields(headers: string): string[] {
  const signed = new Set(SIGNED_FIELDS.toLowerCase().split(":"));
  const last = new Map<string, string>();
  for (const line of headers.split(/\r\n(?![ \t])/)) {
    const { key, value } = dkimSigner.DKIMCanonicalizer.relaxedHeaderLine(line);
    last.set(key, value);
  }
  return [...last].filter(([name, value]) => value === "" && signed.has(name)).map(([name]) => name);
}

/** What DKIMSign does, with a body hash from elsewhere, and with the empty fields at the end of h= (RFC 6376 §5.4). */
function signWithBodyHash(headers: string, hash: string, key: SigningKey): string {
  const { generateDKIMHeader, DKIMCanonicalizer } = dkimSigner;
  const empty = emptyFields(headers);
  const field = generateDKIMHeader(key.domain, key.selector, SIGNED_FIELDS, headers, "")
    .replace(/bh=[^;]+/, () => `bh=${hash}`)
    .replace(/;\s+h=[^;]+/, (names) => [names, ...empty].join(":"));
  const own = DKIMCanonicalizer.relaxedHeaderLine(field);
  const filled = DKIMCanonicalizer.relaxedHeaders(headers, SIGNED_FIELDS).headers;
  const signed = `${filled}${empty.map((name) => `${name}:\r\n`).join("")}${own.key}:${own.value}`;
  const signature = sign("RSA-SHA256", Buffer.from(signed), key.privateKey).toString("base64");
  return field + signature.replace(/.{73}(?=.)/g, "$&\r\n ");
}
