/**
 * Domain names in Unicode and in A-labels (RFC 5890), by the URL algorithm of node:url. Its time grows with the square of a label's
 * length, 150 ms for 16 KB, so no longer name than a domain may be is given to it. What a valid name is is decided elsewhere.
 */
import { domainToASCII, domainToUnicode } from "node:url";

/** RFC 5321 §4.5.3.1.2. */
export const DOMAIN_OCTETS_MAX = 255;

export const isDomainTooLong = (name: string): boolean => Buffer.byteLength(name) > DOMAIN_OCTETS_MAX;

/** Returns the name in lower-case A-labels; "" if it is too long, or cannot be encoded. */
export const domainInAscii = (name: string): string => (isDomainTooLong(name) ? "" : domainToASCII(name));

/** Returns the name in Unicode; "" if it is too long, or cannot be decoded. */
export const domainInUnicode = (name: string): string => (isDomainTooLong(name) ? "" : domainToUnicode(name));
