/** Wires the sending of webhooks: the thread that posts, and the dispatcher. */

import type { CheckContext } from "../domains/check.ts";
import { WebhookDispatcher } from "../webhooks/dispatcher.ts";
import type { Poster } from "../webhooks/poster.ts";
import { startPosterThread } from "../webhooks/threaded-poster.ts";
import type { ServiceCore } from "./service-core.ts";

/** How long a stop waits for responses to webhooks. Events without one are sent again after the next start. */
const STOP_LIMIT_MS = 2000;

export function startPoster(
  { config, onFatal }: ServiceCore,
  { sendingIps }: Pick<CheckContext, "sendingIps">,
): Poster {
  const { dnsServers, webhookAllowPrivate: allowPrivate } = config;
  return startPosterThread({ dnsServers, allowPrivate, sendingIps }, onFatal);
}

export interface SenderWiring {
  poster: Poster;
}

/** Starts sending events to endpoints. Returns how to stop. */
export function startWebhooks(
  core: ServiceCore,
  { poster, disabled }: SenderWiring & { disabled: () => void },
): () => Promise<void> {
  const { spool, vault, clock, log, metrics } = core;
  const dispatcher = new WebhookDispatcher({
    spool,
    vault,
    poster,
    clock,
    log,
    random: Math.random,
    attempted: (result) => metrics.webhookAttempted(result),
    disabled,
  });
  dispatcher.start();
  return async () => {
    await dispatcher.stop(STOP_LIMIT_MS);
    await poster.close();
  };
}
