/**
 * Small texts that survive a restart, by name. Losing one costs only time, except for the entry of delivery-pause.ts, which
 * reads as UNREADABLE_PAUSE if it is damaged. No name is used both for a shared entry and for those of nodes.
 */
export interface KeyValueStore {
  /** null if there is no such entry, or it is damaged. */
  readValue(name: string): Promise<string | null>;
  /** Replaces the entry. On disk once this resolves. */
  writeValue(name: string, text: string): Promise<void>;
  /** Like readValue, for an entry that is kept for each node separately. */
  readNodeValue(name: string): Promise<string | null>;
  /** The entries of all nodes that are live, this one's included. Without nodes: the one entry, if there is one. */
  readLiveNodeValues(name: string): Promise<string[]>;
  /** Replaces this node's entry. An entry that is not replaced for a month may be removed. */
  writeNodeValue(name: string, text: string): Promise<void>;
}

/** The names of shared entries that people change. Stored, so they do not change. */
export const SHARED_ENTRIES = {
  receiverLimits: "receiver-limits",
  tlsRules: "tls-rules",
  sendingAddresses: "sending-addresses",
  sendingPools: "sending-pools",
  probeRequests: "probe-requests",
  operatorsWebhook: "operators-webhook",
} as const;

/** The names of shared entries of the certificate by ACME. Stored, so they do not change. */
export const CERTIFICATE_ENTRIES = { state: "certificate-state", challenges: "certificate-challenges" } as const;

/** The names of the entries that are kept for each node separately. Stored, so they do not change. */
export const NODE_ENTRIES = {
  deliveryMemory: "delivery-memory",
  readiness: "readiness",
  preflight: "preflight",
  receiverDays: "receiver-days",
  receiverHours: "receiver-hours",
  traffic: "delivery-traffic",
} as const;
