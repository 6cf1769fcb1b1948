/**
 * What the outside observes: every message a peer accepts, every refusal it sends and every response a client
 * receives. Only peers and clients write it, never the service; invariants.ts compares it with the spool.
 */

export interface Delivery {
  /** The value of the Message-ID header field. */
  messageId: string;
  recipient: string;
  atMs: number;
  /** Whether the peer sent a complete 2xx reply. */
  isReplySent: boolean;
  /** The content after the service's own signature field. */
  content: string;
}

export interface AcceptedSend {
  intent: number;
  id: string;
}

/** A refusal that a peer sent because its domain rejected everything for load. */
export interface LoadRefusal {
  domain: string;
  /** The process incarnation that received it. */
  incarnation: number;
  /** Numbers the periods in which a domain rejects everything. */
  period: number;
  atMs: number;
}

/** A message that a client wants to send. */
export interface Intent {
  number: number;
  /** The Idempotency-Key of every attempt; null without one. */
  key: string | null;
  recipients: string[];
  text: string;
  /** The expiry in seconds; null without one. */
  expiresInS: number | null;
  isAccepted: boolean;
  attempts: number;
}

export class History {
  readonly deliveries: Delivery[] = [];
  /**
   * Recipients that a peer permanently refused, alone or with their message; `sender` after a refused sender. A peer
   * that replies twice to one command is out of step: its refusal can reach the service as the reply for another
   * recipient of the same message. All recipients of that message are then recorded.
   */
  readonly refused = new Set<string>();
  /** Domains for which DNS reported NXDOMAIN or a null MX. */
  readonly denied = new Set<string>();
  readonly loadRefusals: LoadRefusal[] = [];
  readonly acceptedSends: AcceptedSend[] = [];
  readonly intents: Intent[] = [];
  /** The accepted values of messages with a damaged row, by `seq`. */
  readonly damaged = new Map<number, { content: string; emails: string[] }>();
  /** Observations of clients and peers that must never happen. */
  readonly violations: string[] = [];
}
