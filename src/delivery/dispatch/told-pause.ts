/** What a refusal means for how long its receiver gets no mail. */
import { HOUR_MS } from "../../lib/units.ts";
import { blockOf, type Trouble } from "../../message/result/closed-destination.ts";
import { receiversIn } from "../../receivers/names.ts";
import { pauseAfter } from "../../receivers/pause.ts";
import { profileOf } from "../../receivers/receiver.ts";
import type { LimitsOfDestinations } from "../routing/connection-limits.ts";

/** How often a known receiver that permanently refuses this server's address is probed: each probe is one more refused message. */
const BLOCK_PROBED_MS = HOUR_MS;

/** With the pause that the refusal asks for, or its receiver. */
export function withPause(trouble: Trouble, destination: string, limits: Pick<LimitsOfDestinations, "of">): Trouble {
  const profiles = receiversIn(destination).flatMap((receiver) => profileOf(receiver) ?? []);
  // Of the receiver, not of one of its customers.
  if (profiles.length > 0 && blockOf({ last: trouble }) !== null && trouble.text.startsWith("5"))
    return { ...trouble, pause: { ms: BLOCK_PROBED_MS, atOnce: false } };
  if (trouble.cause !== "rate_limited" && trouble.cause !== "reputation") return trouble;
  const { pauseSeconds } = limits.of(destination);
  const pause = pauseAfter(trouble.text, { profiles, setSeconds: pauseSeconds });
  return pause === null ? trouble : { ...trouble, pause: { ms: 1000 * pause.seconds, atOnce: pause.atOnce } };
}
