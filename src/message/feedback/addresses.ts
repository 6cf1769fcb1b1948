/** Email addresses in texts that people or programs have written. */

/** Source of a pattern for an address. Its limits keep matching linear in time. Quoted local parts are not found. */
export const ADDRESS_SOURCE = String.raw`[^\s<>()[\]:;,"'@\\：；，。＜＞（）「」]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){0,10}`;

const ADDRESSES = new RegExp(ADDRESS_SOURCE, "g");
const MATCHES_MAX = 500;

/** Returns the addresses in a text, in their order. */
export function addressesIn(text: string): string[] {
  const found: string[] = [];
  for (const [address] of text.matchAll(ADDRESSES)) if (found.push(address) === MATCHES_MAX) break;
  return found;
}
