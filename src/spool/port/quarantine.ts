/**
 * Messages that no claim returns because a stored part of them cannot be read. Times are milliseconds since the epoch.
 */

export interface QuarantinedMessage {
  /** Its row. */
  seq: number;
  /** null if it cannot be read. */
  messageId: string | null;
  accountId: string | null;
  foundAtMs: number;
  /**
   * What was being read or changed: the message with its recipients, its content, its marks, the rows of a settlement, or the
   * rows to hold after a restore.
   */
  part: "message" | "content" | "mark" | "settlement" | "hold";
  error: string;
}

export interface QuarantineReport {
  count: number;
  /** The newest. */
  messages: QuarantinedMessage[];
  /** Other damage found in the store since it was opened, such as "notes: database disk image is malformed". */
  places: string[];
}

/** One step of a pass over the quarantine. */
export interface RecheckStep {
  /** The row after which the step begins. */
  after: number;
  /** Most messages to look at. */
  limit: number;
  /** Ends the step once this much content was read. */
  bytesMax: number;
  nowMs: number;
  /** As `recover`'s, for recipients that stayed marked. */
  result: "unknown" | "pending";
}

export interface RecheckResult {
  /** Ids of the messages that were released. */
  released: string[];
  /** `after` of the next step; null at the end of the pass. */
  next: number | null;
}

export interface DiscardRequest {
  /** The message's id, or its row where the id cannot be read. */
  message: string | number;
  /** As RecipientsDecision's. */
  by: string;
  nowMs: number;
}

export interface DiscardedMessage extends Pick<QuarantinedMessage, "seq" | "messageId"> {
  /** Recipients that were pending or unknown, and have failed. */
  failed: number;
  /** False if the rows of some could not be read or changed. They are still in no claim and no count. */
  isComplete: boolean;
}

export interface QuarantineOperations {
  /** The newest `limit` of the quarantined messages. */
  quarantined(limit: number): Promise<QuarantineReport>;
  /**
   * Ends a quarantined message: its pending, marked and unknown recipients fail with the reason `discarded`, as far as their rows
   * can be written, and it leaves the quarantine permanently. What was damaged is kept. Null if it is not in quarantine.
   */
  discardQuarantined(request: DiscardRequest): Promise<DiscardedMessage | null>;
  /**
   * Releases those of a step's messages that can be read again, except those released in this way less than a day ago.
   * Settles recipients that are marked but in no attempt, of messages that `retry` and `retryFailed` have released.
   */
  recheckQuarantined(step: RecheckStep): Promise<RecheckResult>;
}
