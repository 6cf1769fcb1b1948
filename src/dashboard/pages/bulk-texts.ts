/** The words of each action on all recipients of a search. app/decide/bulk-actions.ts decides what they do. */
import { ACTED_RESULTS, type BulkAction, type BulkTotals } from "../../app/decide/bulk-actions.ts";
import { restOf } from "../../app/decide/bulk-outcome-text.ts";
import { plural } from "../views/labels.ts";

export interface BulkTexts {
  /** The link to its confirmation, and the title of its pages. */
  title: string;
  /** The heading of its confirmation. */
  question: (recipients: string) => string;
  /** What will happen, in sentences. */
  effect: string;
  /** What must be weighed; null for nothing. */
  warning: string | null;
  isDangerous: boolean;
  progress: string;
  /** What has become of the recipients: a verb phrase. */
  done: string;
}

const BY_HAND = "Use this when the recipients, or the logs of their servers, show it. Nothing is sent.";

export const BULK_TEXTS: Readonly<Record<BulkAction, BulkTexts>> = {
  "mark-delivered": {
    title: "Mark unknown as delivered",
    question: (recipients) => `Mark ${recipients} as delivered?`,
    effect: `Their result becomes “delivered”, and their timelines show that you decided it. ${BY_HAND}`,
    warning: null,
    isDangerous: false,
    progress: "Marking as delivered",
    done: "marked as delivered",
  },
  "mark-failed": {
    title: "Mark unknown as not delivered",
    question: (recipients) => `Mark ${recipients} as not delivered?`,
    effect: `Their result becomes “failed”, and their timelines show that you decided it. ${BY_HAND} No email address is suppressed.`,
    warning: null,
    isDangerous: false,
    progress: "Marking as not delivered",
    done: "marked as not delivered",
  },
  "send-unknown-again": {
    title: "Send unknown again",
    question: (recipients) => `Send again to ${recipients}?`,
    effect: "Their next attempt is due at once. Whether the message arrived the first time remains unknown.",
    warning: "These recipients may already have the message. If so, sending it again delivers it twice.",
    isDangerous: true,
    progress: "Sending again",
    done: "pending again",
  },
  "send-failed-again": {
    title: "Send failed again",
    question: (recipients) => `Send again to ${recipients}?`,
    effect:
      "They become pending, and their next attempt is due at once. Suppressed recipients are left out, and so are those whose content was deleted, or whose expires_in is over. Recipients that somebody has cancelled or marked as not delivered are included only if the search is for that reason.",
    warning: null,
    isDangerous: false,
    progress: "Sending again",
    done: "pending again",
  },
  "try-now": {
    title: "Try pending now",
    question: (recipients) => `Try ${recipients} now?`,
    effect: "Their next attempt is due at once. Recipients at domains that an operator has paused continue to wait.",
    warning: null,
    isDangerous: false,
    progress: "Scheduling attempts",
    done: "due now",
  },
  cancel: {
    title: "Cancel pending",
    question: (recipients) => `Cancel the delivery to ${recipients}?`,
    effect:
      "No further attempt is made, and their result becomes “failed”. Recipients whose message has already been sent as a whole are not changed: their server's reply decides.",
    warning: null,
    isDangerous: true,
    progress: "Cancelling",
    done: "cancelled",
  },
};

/** `3 unknown recipients`; of test messages `3 unknown test recipients`. */
export function recipientsText(action: BulkAction, count: number, isTest: boolean): string {
  const kind = `${ACTED_RESULTS[action]}${isTest ? " test" : ""}`;
  return plural(count, `${kind} recipient`);
}

/** What has become of the recipients that were counted, one line for each outcome. */
export function outcomeLines(action: BulkAction, counted: number, totals: BulkTotals): string[] {
  const { done } = totals;
  const head = `${plural(done, "recipient")} ${done === 1 ? "is" : "are"} ${BULK_TEXTS[action].done}.`;
  return [head, ...restOf(counted, totals).map(({ count, text }) => `${plural(count, "recipient")} ${text}.`)];
}
