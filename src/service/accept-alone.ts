/** Accepts messages in a program that does not deliver: the service finds them in the spool. */

import { AcceptBackpressure } from "../app/send/accept-backpressure.ts";
import { AcceptMessage } from "../app/send/accept-message.ts";
import { SendRate } from "../app/send/send-rate.ts";
import type { Config } from "../config.ts";
import { systemClock } from "../lib/clock.ts";
import type { Store } from "../spool/port/store.ts";
import { acceptLimits } from "./accept-limits.ts";

const NO_UNSUBSCRIBE = "unsubscribe: only the service makes unsubscribe links.";

const NO_STATUS_LINK = "only the service makes links to status pages.";

export function acceptAlone(config: Config, store: Store): AcceptMessage {
  return new AcceptMessage({
    spool: store,
    registry: store,
    accounts: store,
    clock: systemClock,
    feedbackSenderId: config.feedbackSenderId,
    limits: acceptLimits(config),
    rate: new SendRate({ perSecond: config.ratePerSecond, burst: config.rateBurst }, store),
    backpressure: new AcceptBackpressure(systemClock),
    signAhead: { prepare() {} },
    unsubscribe: {
      fault: () => NO_UNSUBSCRIBE,
      linkFor() {
        throw new Error(NO_UNSUBSCRIBE);
      },
    },
    statusLinks: { fault: () => NO_STATUS_LINK },
    unavailableReason: () => null,
  });
}
