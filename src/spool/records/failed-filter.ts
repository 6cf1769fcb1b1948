/**
 * Decides which failed recipients a retry selects, and which of those it makes pending. Each form of the spool reads them, and
 * leaves out those that it cannot read.
 */
import { HOUR_MS } from "../../lib/units.ts";
import type { Category } from "../../message/result/category.ts";
import { isDecidedReason } from "../../message/result/reasons.ts";
import { isTestRoute } from "../../message/test-route.ts";
import { includesHost } from "../../receivers/names.ts";
import type { FailedFilter, RetryFailedResult, RetryFailedStep } from "../port/operations.ts";

/** What a filter looks at. */
export interface FailedRecipient {
  email: string;
  domain: string;
  reason: string | null;
  category: Category | null;
  failedAtMs: number;
  /** The last reply. */
  smtp: { mx: string } | null;
}

/** What a retry looks at. */
export interface RetriableRecipient extends FailedRecipient {
  messageId: string;
  deadlineMs: number | null;
  /** SQLite has 0 and 1. */
  hasContent: boolean | 0 | 1;
}

/** The recipients that a step makes pending, unless it is a dry run, and its result as far as they determine it. */
export interface RetriedRecipients<Row> {
  due: Row[];
  result: Pick<RetryFailedResult, "recipients" | "contentDeleted" | "pastDeadline">;
}

/** Longer than all steps take together: what failed later still did so while the clock was ahead. */
const PASS_MAX_MS = HOUR_MS;

/** Whether a filter selects a failed recipient, in a pass over many that began at `nowMs`. */
export function selectsFailed(
  {
    nowMs,
    messageId,
    recipients,
    email,
    reason,
    category,
    domain,
    exchangers,
    sinceMs = 0,
  }: FailedFilter & { nowMs: number },
  failed: FailedRecipient,
): boolean {
  const isNamed = (messageId ?? recipients) !== undefined;
  if (!isNamed && isTestRoute(failed.domain)) return false;
  if (!isNamed && reason === undefined && isDecidedReason(failed.reason)) return false;
  const failedInThisPass = failed.failedAtMs > nowMs && failed.failedAtMs <= nowMs + PASS_MAX_MS;
  if (failedInThisPass || failed.failedAtMs < sinceMs) return false;
  if (reason === undefined ? failed.reason === "suppressed" : failed.reason !== reason) return false;
  if (category !== undefined && failed.category !== category) return false;
  if (domain !== undefined && failed.domain !== domain) return false;
  if (exchangers !== undefined && (failed.smtp === null || !includesHost(exchangers, failed.smtp.mx))) return false;
  return email === undefined || failed.email === email;
}

/** Which of the failed recipients of a step are retried. A retry of one message ignores its deadline. */
export function selectRetried<Row extends RetriableRecipient>(
  step: RetryFailedStep,
  rows: readonly Row[],
): RetriedRecipients<Row> {
  const matching = rows.filter((row) => selectsFailed(step, row));
  const withContent = matching.filter(({ hasContent }) => hasContent);
  const isPast = ({ deadlineMs }: Row): boolean => deadlineMs !== null && deadlineMs <= step.nowMs;
  const due = withContent.filter((row) => step.messageId !== undefined || !isPast(row));
  const result = {
    recipients: due.map(({ messageId, email, category }) => ({ messageId, email, category })),
    contentDeleted: matching.length - withContent.length,
    pastDeadline: withContent.length - due.length,
  };
  return { due, result };
}
