/**
 * What the outside knows: every mail a peer took and every refusal it said, every answer a client got. Written by peers
 * and clients alone, so that it owes nothing to the service; what it must agree with is audit.ts's.
 */

export interface Delivery {
  /** The Message-ID header's value. */
  messageId: string;
  recipient: string;
  atMs: number;
  /** Whether a whole 2xx was sent back. */
  isReplySent: boolean;
  /** What came after our own signature header. */
  content: string;
}

export interface AcceptedSend {
  intent: number;
  id: string;
}

/** What a peer refused for the load, when its domain refused everything for some time. */
export interface LoadRefusal {
  domain: string;
  /** The service's life that it was said to. */
  incarnation: number;
  /** Which such time it was. */
  period: number;
  atMs: number;
}

/** A mail that a client wants sent. */
export interface Intent {
  number: number;
  /** The Idempotency-Key that every try carries; null without one. */
  key: string | null;
  recipients: string[];
  text: string;
  /** How many seconds it may take; null for no limit of its own. */
  expiresInS: number | null;
  isAccepted: boolean;
  attempts: number;
}

export class History {
  readonly deliveries: Delivery[] = [];
  /**
   * Recipients that a peer has refused for good, alone or with their message; `sender` when it has refused a sender. One
   * that answers twice and then goes away can make a recipient of the same mail look refused, and nobody could tell: of
   * such peers the whole mail is noted.
   */
  readonly refused = new Set<string>();
  /** Domains of which DNS has said that they do not exist or take no mail. */
  readonly denied = new Set<string>();
  readonly loadRefusals: LoadRefusal[] = [];
  readonly acceptedSends: AcceptedSend[] = [];
  readonly intents: Intent[] = [];
  /** Messages of which a row was damaged, by their row: what was accepted. */
  readonly damaged = new Map<number, { content: string; emails: string[] }>();
  /** What a client or a peer saw that must never be. */
  readonly violations: string[] = [];
}
