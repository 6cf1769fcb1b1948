/**
 * What comes back about a recipient: decides what it changes, and encodes it. A recipient has at most one bounce, one complaint and
 * one unsubscription, each the first; further ones change nothing.
 */
import type { Category } from "../../message/result/category.ts";
import type { EventType, OutboxEvent } from "../port/events.ts";
import type { BounceReport, IncomingEffect, SuppressingFeedback } from "../port/incoming.ts";
import type { FoundMessage } from "../port/reports.ts";
import type { Feedback, RecipientReport, SpoolEvent } from "../port/results.ts";
import { isObject, soundJson } from "./stored-json.ts";

export type FeedbackKind = "bounce" | "complaint" | "unsubscription" | "unverified";

/** An effect on a recipient of a message. */
export type RecipientEffect =
  | Exclude<IncomingEffect, { type: "none" }>
  | { type: "unsubscribed"; messageId: string; position: number };

export interface FeedbackChange {
  /** Null for a report that only settles an unknown recipient. */
  kind: FeedbackKind | null;
  /** What is stored of it, in JSON. */
  detail: string;
  /** Null for none. */
  type: EventType | null;
  history: SpoolEvent;
  /** What the feedback proves about the delivery. Only an unknown recipient gets this result. */
  proves: { result: "delivered" | "failed"; reason: string | null; category: Category | null } | null;
  /** Why the address is suppressed from now on; null for no reason of this kind. */
  suppresses: SuppressingFeedback | null;
}

const DELIVERED = { result: "delivered", reason: null, category: null } as const;

/** Returns what an effect changes of its recipient. */
export function feedbackChange(effect: RecipientEffect, atMs: number): FeedbackChange {
  switch (effect.type) {
    case "bounced":
      return {
        kind: "bounce",
        detail: JSON.stringify(effect.bounce),
        type: "recipient.bounced",
        suppresses: null,
        history: { at_ms: atMs, type: "bounced", ...effect.bounce, rule: effect.rule },
        proves: { result: "failed", reason: "bounced", category: effect.bounce.category },
      };
    case "complained": {
      const { kind } = effect;
      return {
        kind: "complaint",
        detail: JSON.stringify({ kind }),
        type: "recipient.complained",
        suppresses: "complaint",
        history: { at_ms: atMs, type: "complained", kind },
        proves: DELIVERED,
      };
    }
    case "reported": {
      const { kind } = effect;
      return {
        kind: "unverified",
        detail: JSON.stringify({ kind }),
        type: null,
        suppresses: null,
        history: { at_ms: atMs, type: "complaint_unverified", kind },
        proves: null,
      };
    }
    case "unsubscribed":
      return {
        kind: "unsubscription",
        detail: "{}",
        type: "recipient.unsubscribed",
        suppresses: "unsubscribed",
        history: { at_ms: atMs, type: "unsubscribed" },
        proves: DELIVERED,
      };
    case "confirmed":
      return {
        kind: null,
        detail: "{}",
        type: null,
        suppresses: null,
        history: { at_ms: atMs, type: "confirmed" },
        proves: DELIVERED,
      };
  }
}

/** Feedback as it is stored. */
export interface FeedbackRow {
  position: number;
  kind: FeedbackKind;
  atMs: number;
  /** JSON. */
  detail: string;
}

type ReportedFeedback = Pick<RecipientReport, "bounce" | "complaint" | "unsubscribedAtMs">;

/** Returns what reports show of stored feedback, by position. Rows that cannot be decoded are left out. */
export function reportedFeedback(rows: readonly FeedbackRow[]): Map<number, ReportedFeedback> {
  const byPosition = new Map<number, ReportedFeedback>();
  for (const row of rows) byPosition.set(row.position, { ...byPosition.get(row.position), ...shownOf(row) });
  return byPosition;
}

function shownOf({ kind, atMs, detail }: FeedbackRow): ReportedFeedback {
  switch (kind) {
    case "bounce": {
      const bounce = soundJson(detail, isBounce);
      return bounce === null ? {} : { bounce: { atMs, ...bounce } };
    }
    case "complaint": {
      const complaint = soundJson(detail, isComplaint);
      return complaint === null ? {} : { complaint: { atMs, ...complaint } };
    }
    case "unsubscription":
      return { unsubscribedAtMs: atMs };
    default:
      return {};
  }
}

/** Returns what an event shows of the feedback that it reports, from the feedback's detail. */
export function eventFeedback(
  { type, atMs }: Pick<OutboxEvent, "type" | "atMs">,
  detail: unknown,
): Pick<OutboxEvent, "bounce" | "complaint"> {
  if (type === "recipient.bounced" && isBounce(detail)) return { bounce: { atMs, ...detail } };
  if (type === "recipient.complained" && isComplaint(detail)) return { complaint: { atMs, ...detail } };
  return {};
}

/** The kind of feedback whose detail an event of this type shows; absent for other types. */
export const KIND_OF_EVENT: Readonly<Partial<Record<EventType, FeedbackKind>>> = {
  "recipient.bounced": "bounce",
  "recipient.complained": "complaint",
};

const NAMES: Readonly<Partial<Record<FeedbackKind, Feedback>>> = {
  bounce: "bounced",
  complaint: "complained",
  unsubscription: "unsubscribed",
};

/** Returns what a list shows of the kinds of feedback that a message has. */
export const listedFeedback = (kinds: readonly FeedbackKind[]): Pick<FoundMessage, "feedback"> =>
  kinds.some((kind) => NAMES[kind] !== undefined) ? { feedback: kinds.flatMap((kind) => NAMES[kind] ?? []) } : {};

const isBounce = (value: unknown): value is BounceReport =>
  isObject(value) && typeof value.permanent === "boolean" && typeof value.diagnostic === "string";

const isComplaint = (value: unknown): value is { kind: string } => isObject(value) && typeof value.kind === "string";
