/** URLs whose requests nobody on the way can read or change: HTTPS, and plain HTTP to this machine. */

const LOOPBACK = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/;

/** Whether the `hostname` of a URL is this machine. */
export const isLoopbackHost = (hostname: string): boolean => LOOPBACK.test(hostname);

export const isSafeUrl = ({ protocol, hostname }: URL): boolean =>
  protocol === "https:" || (protocol === "http:" && isLoopbackHost(hostname));
