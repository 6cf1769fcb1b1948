/** Names of receivers and destinations. */
import { isIP } from "node:net";

/** A receiver as a key: "*." and its name, a form that no recipient domain has. */
export type ReceiverKey = `*.${string}`;

/** Whether a name is a receiver's key, or that of a destination with receivers: neither the sink of SINK nor that of test messages. */
export const isReceiver = (name: string): boolean => name.startsWith("*.");

/** The name of a receiver by its key. The sink's `host:port` stands for itself. */
export const nameOf = (key: string): string => (isReceiver(key) ? key.slice("*.".length) : key);

/** The receivers of a destination, for people, and what mail to them leaves from. */
export function destinationLabel(destination: string): string {
  const from = sourceIn(destination);
  return `${receiversIn(destination).map(nameOf).join(" and ")}${from === null ? "" : ` from ${from}`}`;
}

/** Between the receivers in the name of a destination. */
const SEPARATOR = "+";

/** The name of a destination with several receivers. */
export const joinReceivers = (keys: readonly string[]): string => keys.join(SEPARATOR);

/** Mail hosts: those that are or are below one of `domains`, unless they are or are below one of `except`. */
export interface HostSet {
  domains: readonly string[];
  except: readonly string[];
}

export function includesHost({ domains, except }: HostSet, host: string): boolean {
  const name = host.toLowerCase();
  const isIn = (domain: string): boolean => name === domain || name.endsWith(`.${domain}`);
  return domains.some(isIn) && !except.some(isIn);
}

/** Before the pool or the address that mail leaves from; no host's name has it (withSource). */
const FROM = "@";

/** The name of a destination for the mail of a pool of sending addresses, or of one address. */
export const withSource = (destination: string, source: string): string =>
  `${destination.replaceAll(FROM, "")}${FROM}${source}`;

/** The pool or the sending address in the name of a destination; null without one. */
export function sourceIn(destination: string): string | null {
  const at = destination.lastIndexOf(FROM);
  return at === -1 ? null : destination.slice(at + FROM.length);
}

/** The sending address in the name of a destination; null for a pool, or for none. */
export function addressIn(destination: string): string | null {
  const source = sourceIn(destination);
  return source === null || isIP(source) === 0 ? null : source;
}

/** The name of a destination without the pool or the sending address. */
export function withoutSource(destination: string): string {
  const at = destination.lastIndexOf(FROM);
  return at === -1 ? destination : destination.slice(0, at);
}

/** The receivers in the name of a destination. */
export const receiversIn = (destination: string): string[] => withoutSource(destination).split(SEPARATOR);

export function keyOf(name: string): ReceiverKey {
  return `*.${name}`;
}
