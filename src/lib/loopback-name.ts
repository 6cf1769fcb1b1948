/** Names and addresses by which a host reaches only itself. */

/** Accepts an IPv6 address with or without brackets. */
export const isLoopbackName = (host: string): boolean => /^(?:localhost|127(?:\.\d+){1,3}|\[?::1\]?)$/.test(host);

/** Whether links that begin with the URL work only on this server. */
export const isLoopbackUrl = (url: string): boolean => isLoopbackName(new URL(url).hostname);

/** Whether nobody on the way can read or change requests to the URL: HTTPS, or plain HTTP to this server. */
export const isSafeUrl = ({ protocol, hostname }: URL): boolean =>
  protocol === "https:" || (protocol === "http:" && isLoopbackName(hostname));
