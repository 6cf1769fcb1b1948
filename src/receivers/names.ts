/** Names of receivers and destinations. */

/** A receiver as a key: "*." and its name, a form that no recipient domain has. */
export type ReceiverKey = `*.${string}`;

/** The name of a receiver by its key. The sink's `host:port` stands for itself. */
export const nameOf = (key: string): string => (key.startsWith("*.") ? key.slice("*.".length) : key);

/** The receivers of a destination, for people. */
export const destinationLabel = (destination: string): string => receiversIn(destination).map(nameOf).join(" and ");

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

/** The receivers in the name of a destination. */
export const receiversIn = (destination: string): string[] => destination.split(SEPARATOR);

export function keyOf(name: string): ReceiverKey {
  return `*.${name}`;
}
