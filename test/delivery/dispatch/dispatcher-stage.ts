/** A dispatcher with a fake spool and a fake clock, whose attempts last until the test ends them. */
import { AcceptPriority } from "../../../src/delivery/dispatch/accept-priority.ts";
import type { AttemptResult } from "../../../src/delivery/dispatch/attempt.ts";
import { type DeliveryPolicy, Dispatcher } from "../../../src/delivery/dispatch/dispatcher.ts";
import { DomainTrafficCounts } from "../../../src/delivery/dispatch/domain-traffic.ts";
import type { PreparedDomain } from "../../../src/delivery/dispatch/preparation.ts";
import { Shutdown } from "../../../src/delivery/dispatch/shutdown.ts";
import { LimitsOfDestinations } from "../../../src/delivery/routing/connection-limits.ts";
import { SendingSources } from "../../../src/delivery/routing/sending-sources.ts";
import { CongestionWindows } from "../../../src/delivery/throttle/congestion-window.ts";
import { DestinationThrottle } from "../../../src/delivery/throttle/destination-throttle.ts";
import type { LoadSignal } from "../../../src/delivery/throttle/load-signal.ts";
import { SenderPauses } from "../../../src/delivery/throttle/sender-pauses.ts";
import { createLog, silentLog } from "../../../src/lib/log.ts";
import type { Trouble } from "../../../src/message/result/closed-destination.ts";
import type { Outcome, SmtpRecord } from "../../../src/message/result/outcome.ts";
import type { DeliveryJob } from "../../../src/spool/port/mail.ts";
import type { Spool } from "../../../src/spool/port/spool.ts";
import { fakeClock, quiet } from "../../support/fake-clock.ts";
import { fakeSpool } from "../../support/fake-spool.ts";

export const MINUTE_MS = 60_000;
export const START_MS = 1_000_000;

export const POLICY: DeliveryPolicy = {
  retrySchedule: [MINUTE_MS, 5 * MINUTE_MS],
  unknownPolicy: "hold",
  attemptsMax: 4,
};

/** The initial window of a destination. */
export const WINDOW = 2;

export const smtpRecord = (code: number): SmtpRecord => {
  return { code, enhanced_code: null, message: "said", mx: "mx.a.example", ip: "192.0.2.1", tls: null };
};

export const delivered: Outcome = { type: "delivered", smtp: smtpRecord(250), tries: [] };
export const deferred = {
  type: "deferred",
  reason: "temporarily_refused",
  category: "greylisted",
  smtp: smtpRecord(451),
  tries: [],
} satisfies Outcome;

interface UnderWay {
  job: DeliveryJob;
  /** Ends it with the outcome for every recipient, or with these; null is that of a damaged message. */
  end(outcome?: Outcome | (Outcome | null)[], signal?: LoadSignal): Promise<void>;
}

/** A preparation that provides the destination alone. */
const preparationOf = (destinationOf: (domain: string, leftMs?: number) => Promise<string>) => ({
  shared: () => null,
  prepare: async (domain: string, leftMs?: number): Promise<PreparedDomain> => {
    const destination = await destinationOf(domain, leftMs);
    return { route: { type: "hosts", hosts: [] }, destination, policyFor: () => Promise.reject() };
  },
  keep: () => {},
});

/** `destinationOf` looks up the destination of a domain, for a message with so much time left. */
export function setUpDispatcher(
  policy: Partial<DeliveryPolicy> = {},
  destinationOf: (domain: string, leftMs?: number) => Promise<string> = async (domain) => `mx.${domain}`,
  spool = fakeSpool(),
) {
  const clock = fakeClock(START_MS);
  const underWay: UnderWay[] = [];
  /** What refused attempts meet. */
  let met: Trouble | null = null;
  const meet = (trouble: Trouble): void => {
    met = trouble;
  };
  const sends = { waiting: 0 };
  const shutdown = new Shutdown();
  const warnings: { messageId?: string; msg: string }[] = [];
  const log = createLog("warn", { write: (line: string) => void warnings.push(JSON.parse(line)) });
  const attempt = async (job: DeliveryJob): Promise<AttemptResult> => {
    return new Promise((resolve) => {
      const entry: UnderWay = {
        job,
        end(outcome = delivered, signal = "neutral") {
          underWay.splice(underWay.indexOf(entry), 1);
          const outcomes = Array.isArray(outcome) ? outcome : job.recipients.map(() => outcome);
          resolve({ outcomes, signal, trouble: signal === "refused" ? met : null });
          return quiet();
        },
      };
      underWay.push(entry);
    });
  };
  const throttle = new DestinationThrottle(new CongestionWindows(WINDOW));
  const dispatcher = new Dispatcher({
    // The dispatcher uses nothing else.
    spool: spool as Partial<Spool> as Spool,
    attempt,
    sources: new SendingSources({ live: () => [] }),
    windows: { obstacle: () => null, began: () => {}, ended: () => {} },
    keys: { isHeld: () => false, admit: () => true, putBack: () => {}, report: () => {} },
    preparation: preparationOf(destinationOf),
    traffic: new DomainTrafficCounts(clock),
    receiverCounts: { add: () => {} },
    suppressions: { of: async () => new Map() },
    throttle,
    limits: new LimitsOfDestinations(new Map()),
    senderPauses: new SenderPauses({ clock, log, onUnauthenticated: () => {} }),
    acceptPriority: new AcceptPriority(clock, sends),
    shutdown,
    clock,
    log,
    random: () => 0.5,
    policy: { ...POLICY, ...policy },
  });
  const domains = () => underWay.map(({ job }) => job.domain);
  const stop = () => shutdown.run({ clock, log: silentLog, replyWaitMs: 8000, ended: () => dispatcher.ended() });
  return { spool, clock, underWay, dispatcher, throttle, domains, sends, stop, warnings, meet };
}

/** Ends every attempt for this time, second by second; returns how many there were at full.example. */
export async function endAllFor(
  setting: ReturnType<typeof setUpDispatcher>,
  seconds: number,
  isOpen: () => boolean,
): Promise<number> {
  const { clock, underWay } = setting;
  let attempts = 0;
  for (let second = 0; second < seconds; second += 1) {
    while (underWay.length > 0) {
      const [first] = underWay;
      const isHere = first?.job.domain === "full.example";
      if (isHere) attempts += 1;
      if (isHere && !isOpen()) await first?.end(deferred, "refused");
      else await first?.end(delivered, "accepted");
    }
    await clock.advance(1000);
  }
  return attempts;
}
