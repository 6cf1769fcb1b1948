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

/** The receivers in the name of a destination. */
export const receiversIn = (destination: string): string[] => destination.split(SEPARATOR);

export function keyOf(name: string): ReceiverKey {
  return `*.${name}`;
}
