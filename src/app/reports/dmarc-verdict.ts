/**
 * Whether a domain can publish the next stricter DMARC policy, by what receivers have reported in the last weeks. A failing message that is
 * not ours may be forged, or may come from another service that the account uses: reports do not tell these apart.
 */
import { shareText } from "../../lib/share-text.ts";
import { WEEK_MS } from "../../lib/week.ts";
import type { Disposition } from "../../message/reports/dmarc-rows.ts";
import type { DmarcPeriod, ReportedWeek, SenderReports } from "../../spool/port/sender-reports.ts";
import { dayText } from "./domain-reports.ts";

/** Weeks that count, up to the newest one with reports. */
const PERIOD_WEEKS = 4;

/** What an answer needs. */
const MESSAGES_MIN = 100;
const DAYS_MIN_MS = 2 * WEEK_MS;

/** Of our messages, the share that has to pass: some forwarders change messages. */
const OWN_PASS_MIN = 0.99;
/** Of all messages, the share that may fail from other sources, without a question. */
const OTHERS_FAIL_MAX = 0.01;

const NEXT: Readonly<Record<Disposition, "quarantine" | "reject" | null>> = {
  none: "quarantine",
  quarantine: "reject",
  reject: null,
};

/**
 * `published`: there is no stricter policy. `few`: too little was reported. `own`: too many of our messages fail. `check`: it depends on whose
 * the failing sources are.
 */
export type Answer = "published" | "few" | "own" | "check" | "yes";

export interface DmarcVerdict extends Pick<DmarcPeriod, "policy" | "messages" | "failed" | "own" | "failedOwn"> {
  answer: Answer;
  /** The stricter policy that is asked for; null if there is none. */
  next: "quarantine" | "reject" | null;
  sinceMs: number;
}

export interface DmarcStanding {
  verdict: DmarcVerdict;
  sources: DmarcPeriod["sources"];
}

/** Null without DMARC reports. `weeks` is the result of reportedWeeks. */
export async function dmarcStanding(
  store: Pick<SenderReports, "dmarcPeriod">,
  { accountId, name }: { accountId: string; name: string },
  weeks: readonly ReportedWeek[],
): Promise<DmarcStanding | null> {
  const newest = weeks.find(({ dmarc }) => dmarc.reports > 0);
  if (newest === undefined) return null;
  const endMs = newest.weekMs + WEEK_MS;
  const period = await store.dmarcPeriod(accountId, name, { fromMs: endMs - PERIOD_WEEKS * WEEK_MS, endMs });
  const verdict = verdictOf(period);
  return verdict === null ? null : { verdict, sources: period.sources };
}

/** Null without reports. */
export function verdictOf({ sources: _, ...period }: DmarcPeriod): DmarcVerdict | null {
  const { policy, sinceMs, untilMs } = period;
  if (policy === null || sinceMs === null || untilMs === null) return null;
  const { messages, failed, own, failedOwn } = period;
  const counted = { policy, messages, failed, own, failedOwn, sinceMs, next: NEXT[policy] };
  return { ...counted, answer: answerOf({ ...counted, spanMs: untilMs - sinceMs }) };
}

type Counted = Omit<DmarcVerdict, "answer"> & { spanMs: number };

function answerOf({ next, messages, failed, own, failedOwn, spanMs }: Counted): Answer {
  if (next === null) return "published";
  if (messages < MESSAGES_MIN || spanMs < DAYS_MIN_MS) return "few";
  if (failedOwn > (1 - OWN_PASS_MIN) * own) return "own";
  return failed - failedOwn > OTHERS_FAIL_MAX * messages ? "check" : "yes";
}

/** The answer with its reason. */
export function verdictSentence(verdict: DmarcVerdict): string {
  const { answer, policy, next, messages, failed, own, failedOwn, sinceMs } = verdict;
  const since = `since ${dayText(sinceMs)}`;
  const passed = `${shareText(messages - failed, messages)} of ${countOf(messages)} passed DMARC ${since}`;
  switch (answer) {
    case "published":
      return `The domain has p=${policy}, the strictest policy: ${passed}.`;
    case "few":
      return `Not yet p=${next}: an answer needs reports on ${MESSAGES_MIN} messages over two weeks. ${passed}.`;
    case "own":
      return `Not yet p=${next}: ${shareText(failedOwn, own)} of ${countOf(own)} of yours failed DMARC ${since}. Correct the sources marked as yours first.`;
    case "check":
      return `p=${next} only if none of the failing sources below is yours: ${passed}, and ${countOf(failed - failedOwn)} from sources unknown to this service failed.`;
    case "yes":
      return `You can publish p=${next}: ${passed}.`;
  }
}

const countOf = (messages: number): string => `${messages.toLocaleString("en-US")} message${messages === 1 ? "" : "s"}`;
