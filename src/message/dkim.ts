/**
 * Decides how a message is signed (RFC 6376: rsa-sha256, relaxed/relaxed, no l=, no x=). Which key signs is for others.
 *
 * dkim-signer signs, but where its body hash is wrong or slow mailauth's body hash takes its place. Measured against
 * RFC 6376 §3.4, dkim-signer's hash is wrong for a blank body, and for bytes that are vertical tab, form feed, a
 * Unicode space or invalid UTF-8, since it works on decoded text with \s; its time grows with the square of a run of
 * white space. mailauth's whole signer is no way out: it takes the byte A0 in a header (as in "à") for a space, reads
 * the clock twice for one t= tag, and parses the key for each message. Neither can sign a From field that is not there
 * (oversigning): a second From is for the receiver to refuse (RFC 5322 §3.6).
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
 * in its header, valid UTF-8 without white space other than spaces and tabs. Fields that are present and not empty are
 * signed, of repeated ones the last.
 */
export async function dkimSignature(content: Buffer, key: SigningKey): Promise<Buffer> {
  const headerEnd = content.indexOf("\r\n\r\n");
  const body = headerEnd < 0 ? Buffer.alloc(0) : content.subarray(headerEnd + 4);
  if (!hashesRight(body)) {
    const headers = content.subarray(0, headerEnd < 0 ? content.length : headerEnd).toString();
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

/** What DKIMSign does, with a body hash from elsewhere. */
function signWithBodyHash(headers: string, hash: string, key: SigningKey): string {
  const { generateDKIMHeader, DKIMCanonicalizer } = dkimSigner;
  const field = generateDKIMHeader(key.domain, key.selector, SIGNED_FIELDS, headers, "").replace(
    /bh=[^;]+/,
    () => `bh=${hash}`,
  );
  const own = DKIMCanonicalizer.relaxedHeaderLine(field);
  const signed = `${DKIMCanonicalizer.relaxedHeaders(headers, SIGNED_FIELDS).headers}${own.key}:${own.value}`;
  const signature = sign("RSA-SHA256", Buffer.from(signed), key.privateKey).toString("base64");
  return field + signature.replace(/.{73}(?=.)/g, "$&\r\n ");
}
