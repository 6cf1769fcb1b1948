/** The event of each result of a recipient. */
import type { Result } from "../../message/result/outcome.ts";
import type { EventType } from "../port/events.ts";

const TYPE_OF_RESULT = {
  delivered: "recipient.delivered",
  failed: "recipient.failed",
  pending: "recipient.deferred",
  unknown: "recipient.unknown",
} as const satisfies Record<Result, EventType>;

/** The type of the event of a recipient's new result. */
export const typeOfResult = (result: Result): EventType => TYPE_OF_RESULT[result];
