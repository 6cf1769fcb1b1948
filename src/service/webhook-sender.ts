/** Wires the sending of webhooks: the thread that posts, the dispatcher, and the messages about disabled endpoints. */

import { type DutyTask, runDutyTask } from "../app/installation/duty-task.ts";
import type { AcceptMessage } from "../app/send/accept-message.ts";
import { notifyDisabledEndpoints, type WebhookNoticeParts } from "../app/webhooks/webhook-notice.ts";
import type { CheckContext } from "../domains/check.ts";
import { WebhookDispatcher } from "../webhooks/dispatcher.ts";
import type { Poster } from "../webhooks/poster.ts";
import { startPosterThread } from "../webhooks/threaded-poster.ts";
import type { ServiceCore } from "./service-core.ts";

/** How long a stop waits for responses to webhooks. Events without one are sent again after the next start. */
const STOP_LIMIT_MS = 2000;
/** Messages about disabled endpoints that could not be sent are tried again after this time. */
const NOTICE_RETRY_MS = 60_000;

export function startPoster(
  { config, onFatal }: ServiceCore,
  { sendingIps }: Pick<CheckContext, "sendingIps">,
): Poster {
  const { dnsServers, webhookAllowPrivate: allowPrivate } = config;
  return startPosterThread({ dnsServers, allowPrivate, sendingIps }, onFatal);
}

export interface SenderWiring {
  poster: Poster;
  acceptMessage: Pick<AcceptMessage, "accept">;
  publicUrl: string;
}

/** Starts sending events to endpoints. Returns how to stop. */
export function startWebhooks(
  core: ServiceCore,
  { poster, acceptMessage, publicUrl }: SenderWiring,
): () => Promise<void> {
  const { config, spool, vault, clock, log, metrics } = core;
  const notices = startNotices(core, {
    store: spool,
    registry: spool,
    people: spool.people,
    clock,
    log,
    acceptMessage,
    publicUrl,
    resultsKeptMs: config.retention.resultsMs,
  });
  const dispatcher = new WebhookDispatcher({
    spool,
    vault,
    poster,
    clock,
    log,
    random: Math.random,
    attempted: (result) => metrics.webhookAttempted(result),
    disabled: notices.run,
  });
  dispatcher.start();
  return async () => {
    await notices.stop();
    await dispatcher.stop(STOP_LIMIT_MS);
    await poster.close();
  };
}

interface Notices extends DutyTask {
  run(): void;
}

/**
 * Sends the messages after each endpoint that this process disables and, while it holds the duty, at once and regularly those that
 * could not be sent. Two processes do not send a message twice, because it has an idempotency key.
 */
function startNotices({ clock, spool }: ServiceCore, parts: WebhookNoticeParts): Notices {
  let running: Promise<void> = Promise.resolve();
  const run = (): void => {
    // One after another: the next one finds what the last one has recorded.
    running = running.then(() => notifyDisabledEndpoints(parts));
  };
  const { stop } = runDutyTask(spool.duties, "webhook_notices", () => {
    let cancel = (): void => {};
    const runRegularly = (): void => {
      run();
      cancel = clock.after(NOTICE_RETRY_MS, runRegularly);
    };
    runRegularly();
    return () => cancel();
  });
  return { run, stop };
}
