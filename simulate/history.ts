/**
 * What the outside observes: every message a peer accepts, every refusal it sends, every response a client receives, every
 * request that a receiver of webhooks gets, and what an operator changes. The service never writes it; invariants.ts and the
 * invariants of the outbox and of webhooks compare it with the spool.
 */
import type { EventType } from "../src/spool/port/events.ts";
import type { EndpointChange } from "../src/spool/port/webhooks.ts";

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

/** From the first reply that asked for it. */
export interface Pause {
  receiver: string;
  fromMs: number;
  untilMs: number;
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

/** A request that reached the receiver of a webhook endpoint. */
export interface Receipt {
  endpointId: string;
  /** The webhook-id. */
  eventId: string;
  body: string;
  /** The process incarnation that sent it. */
  incarnation: number;
  /** The status of the response; null without one. */
  status: number | null;
  /** Whether the response reached the service. */
  isSeen: boolean;
}

/** A change of an endpoint that an operator began; it may fail. */
export interface EndpointChangeBegun {
  endpointId: string;
  type: EndpointChange["change"]["type"];
  /** The process incarnation that got it. */
  incarnation: number;
  /** The receipts before. */
  receipts: number;
}

/** What the spool had of an endpoint when a process incarnation started. */
export interface EndpointAtStart {
  endpointId: string;
  incarnation: number;
  position: number;
  /** The first number that waits for another attempt, by the message's row. */
  waitingFrom: Map<number, number>;
}

/** A bounce or a complaint that a host sends about a recipient. */
export interface ReturnedMail {
  kind: "bounce" | "complaint";
  messageId: string;
  position: number;
  /** The service has said that it is stored. */
  isStored: boolean;
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
  readonly returned: ReturnedMail[] = [];
  readonly receipts: Receipt[] = [];
  readonly endpointChanges: EndpointChangeBegun[] = [];
  readonly endpointStarts: EndpointAtStart[] = [];
  /** All secrets of each endpoint. */
  readonly secrets = new Map<string, Set<string>>();
  /** All selections of event types that each endpoint has had or may have had; null selects all. */
  readonly selections = new Map<string, (readonly EventType[] | null)[]>();
  /** Whether nothing but refusals of this server for a time keeps mail from being delivered. */
  losesNoMail = false;
  /** The texts of refusals of this server's address, with their codes. */
  readonly addressRefusals = new Set<string>();
  /** Pauses that receivers asked for. */
  readonly pauses: Pause[] = [];
  /** Greetings and MAIL at receivers that ask for pauses. */
  readonly contacts: { receiver: string; atMs: number }[] = [];
  /** Observations of clients, peers and receivers that must never happen. */
  readonly violations: string[] = [];
}
