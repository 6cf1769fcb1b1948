/** The canonical form of domain names, and which names a DNS query can carry. */

const NAME_OCTETS_MAX = 253;
const LABEL_OCTETS_MAX = 63;

/** Lower case, without the final dot. */
export function normalizeName(name: string): string {
  return name.toLowerCase().replace(/\.$/, "");
}

/**
 * Whether a query can carry the name (RFC 1035 §2.3.4). No zone can contain any other name, and none that has to do with mail
 * has a label with spaces or control characters, or one that must be escaped.
 */
export function isQueryableName(name: string): boolean {
  const bare = name.replace(/\.$/, "");
  const fits = (label: string) => Buffer.byteLength(label) <= LABEL_OCTETS_MAX && /^[^\s\\\p{Cc}]+$/u.test(label);
  return Buffer.byteLength(bare) <= NAME_OCTETS_MAX && bare.split(".").every(fits);
}
