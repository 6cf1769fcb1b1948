/** The parts of an address or a URL that have a form in ASCII. Local parts have none (RFC 6531 §3.3). */
import { isAscii, toALabels } from "../address.ts";

/** The characters outside ASCII as the octets of UTF-8 in the form %C3%BC (RFC 3986 §2.1). */
export const percentEncoded = (text: string): string =>
  isAscii(text) ? text : text.toWellFormed().replace(/\P{ASCII}/gu, encodeURIComponent);

/** A domain as A-labels; one that is not valid in the form of `percentEncoded`. */
function asciiDomain(domain: string): string {
  return isAscii(domain) ? domain : (toALabels(domain) ?? percentEncoded(domain));
}

/** An addr-spec whose domain is in ASCII. */
export function withAsciiDomain(address: string): string {
  if (isAscii(address)) return address;
  const at = address.lastIndexOf("@") + 1;
  return at === 0 ? address : address.slice(0, at) + asciiDomain(address.slice(at));
}

/** A URL in ASCII: hosts as A-labels, all else as RFC 3987 §3.1 maps it. */
export function asciiUrl(url: string): string {
  if (isAscii(url)) return url;
  const query = url.search(/[?#]/);
  const head = query === -1 ? url : url.slice(0, query);
  const hosts = /^[ \t\r\n]*mailto:/i.test(head) ? mailtoHosts(head) : authorityHost(head);
  return percentEncoded(hosts + url.slice(head.length));
}

const mailtoHosts = (head: string): string =>
  head
    .split(",")
    .map((address) => withAsciiDomain(address))
    .join(",");

function authorityHost(head: string): string {
  const slashes = head.indexOf("://");
  if (slashes === -1) return head;
  const from = slashes + "://".length;
  const path = head.indexOf("/", from);
  const authority = head.slice(from, path === -1 ? head.length : path);
  const host = authority.slice(authority.lastIndexOf("@") + 1).split(":", 1)[0] ?? "";
  const at = from + authority.lastIndexOf("@") + 1;
  return head.slice(0, at) + asciiDomain(host) + head.slice(at + host.length);
}
