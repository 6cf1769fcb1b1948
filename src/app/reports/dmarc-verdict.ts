/**
 * Whether a domain can publish the next stricter DMARC policy, by what receivers have reported in the last weeks. A failing message that is
 * not ours may be forged, or may come from another service that the account uses: reports do not tell these apart.
 *
 * Reports are not authenticated, so that a forged one must not lead to a stricter policy. Every reported failure counts. Of reported passes,
 * only those of our messages count, without those of the report that has the most, and at most as many as the account has sent. One
 * forged report thus never makes the share of failures smaller; many add at most the passes of what was sent. It may begin on the last of the
 * days that an answer needs. The present policy is that of the domain's checked record.
 */

import type { Policy } from "../../dmarc/record.ts";
import { publishedPolicy } from "../../domains/published-policy.ts";
import { shareText } from "../../lib/share-text.ts";
import { dayText, WEEK_MS } from "../../lib/week.ts";
import type { Domain } from "../../spool/port/domains.ts";
import type { DmarcPeriod, ReportedWeek, SenderReports } from "../../spool/port/sender-reports.ts";

/** Weeks that count, up to the newest one with reports. */
const PERIOD_WEEKS = 4;

/** What an answer needs: messages of ours that count, and days with reports. */
const MESSAGES_MIN = 100;
const DAYS_MIN = 14;

/** Of our messages, the share that has to pass: some forwarders change messages. */
const OWN_PASS_MIN = 0.99;
/** Of the messages that count, the share that may fail from other sources, without a question. */
const OTHERS_FAIL_MAX = 0.01;

const NEXT: Readonly<Record<Policy, "quarantine" | "reject" | null>> = {
  none: "quarantine",
  quarantine: "reject",
  reject: null,
};

/**
 * `no_record`: the present policy is not known. `strictest`: there is no stricter policy. `few_reports`: too little was reported.
 * `own_failures`: too many of our messages fail. `check_sources`: it depends on whose the failing sources are.
 */
export const DMARC_ANSWERS = ["yes", "check_sources", "own_failures", "few_reports", "strictest", "no_record"] as const;
type Answer = (typeof DMARC_ANSWERS)[number];

export interface DmarcVerdict {
  answer: Answer;
  policy: Policy | null;
  /** The stricter policy that is asked for; null if there is none. */
  next: "quarantine" | "reject" | null;
  sinceMs: number;
  /** As reported. */
  reported: Counts;
  /** What counts of it. */
  counted: Counts & { own: number; failedOwn: number };
}

interface Counts {
  messages: number;
  failed: number;
}

export interface DmarcStanding {
  verdict: DmarcVerdict;
  sources: DmarcPeriod["sources"];
}

/** Null without DMARC reports. `weeks` is the result of reportedWeeks. */
export async function dmarcStanding(
  store: Pick<SenderReports, "dmarcPeriod">,
  domain: Pick<Domain, "accountId" | "name" | "checks">,
  { weeks, nowMs }: { weeks: readonly ReportedWeek[]; nowMs: number },
): Promise<DmarcStanding | null> {
  // A report may be about a time ahead; it does not move the weeks.
  const newest = weeks.find(({ dmarc, weekMs }) => dmarc.reports > 0 && weekMs <= nowMs);
  if (newest === undefined) return null;
  const endMs = newest.weekMs + WEEK_MS;
  const period = { fromMs: endMs - PERIOD_WEEKS * WEEK_MS, endMs };
  const reported = await store.dmarcPeriod(domain.accountId, domain.name, period);
  const verdict = verdictOf(reported, publishedPolicy(domain));
  return verdict === null ? null : { verdict, sources: reported.sources };
}

/** Null without reports. */
export function verdictOf(period: Omit<DmarcPeriod, "sources">, policy: Policy | null): DmarcVerdict | null {
  const { sinceMs, days, messages, failed, failedOwn } = period;
  if (sinceMs === null) return null;
  const own = Math.max(failedOwn, Math.min(period.own - period.passedOwnMost, period.sent));
  const counted = { own, failedOwn, failed, messages: own + failed - failedOwn };
  const next = policy === null ? null : NEXT[policy];
  const verdict = { policy, next, sinceMs, reported: { messages, failed }, counted };
  return { ...verdict, answer: answerOf(verdict, days) };
}

function answerOf({ policy, next, counted }: Omit<DmarcVerdict, "answer">, days: number): Answer {
  if (policy === null) return "no_record";
  if (next === null) return "strictest";
  const { own, failedOwn, messages, failed } = counted;
  if (own < MESSAGES_MIN || days < DAYS_MIN) return "few_reports";
  if (failedOwn > (1 - OWN_PASS_MIN) * own) return "own_failures";
  return failed - failedOwn > OTHERS_FAIL_MAX * messages ? "check_sources" : "yes";
}

/** The answer with its reason. */
export function verdictSentence({ answer, policy, next, reported, counted, sinceMs }: DmarcVerdict): string {
  const since = `since ${dayText(sinceMs)}`;
  const passed = ({ messages, failed }: Counts): string =>
    `${shareText(messages - failed, messages)} of ${countOf(messages)} passed DMARC ${since}`;
  const { own, failedOwn, failed } = counted;
  switch (answer) {
    case "no_record":
      return `No answer: the domain has no verified DMARC record. ${passed(reported)}.`;
    case "strictest":
      return `The domain has p=${policy}, the strictest policy: ${passed(reported)}.`;
    case "few_reports":
      return `Not yet p=${next}: an answer needs reports of ${DAYS_MIN} days on ${MESSAGES_MIN} messages of yours, without the largest report. ${passed(reported)}.`;
    case "own_failures":
      return `Not yet p=${next}: ${shareText(failedOwn, own)} of ${countOf(own)} of yours failed DMARC ${since}. Correct the sources marked as yours first.`;
    case "check_sources":
      return `p=${next} only if none of the failing sources below is yours: ${passed(counted)}, and ${countOf(failed - failedOwn)} from sources unknown to this service failed.`;
    case "yes":
      return `You can publish p=${next}: ${passed(counted)}.`;
  }
}

const countOf = (messages: number): string => `${messages.toLocaleString("en-US")} message${messages === 1 ? "" : "s"}`;
