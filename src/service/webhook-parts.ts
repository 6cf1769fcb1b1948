/** The use cases of webhook endpoints with what they need of webhooks/: secrets, and a poster. */

import { WebhookEndpoints, type WebhookParts } from "../app/webhooks/webhook-endpoints.ts";
import type { PostWebhook } from "../app/webhooks/webhook-test-event.ts";
import type { Config } from "../config.ts";
import { ownAddresses } from "../dns/own-addresses.ts";
import { createResolver } from "../dns/stub-resolver.ts";
import { type Clock, systemClock } from "../lib/clock.ts";
import type { Registry } from "../spool/port/accounts.ts";
import type { EndpointStore } from "../spool/port/webhooks.ts";
import { createPoster } from "../webhooks/poster.ts";
import { newSecret } from "../webhooks/signature.ts";

export interface WebhookWiring {
  config: Config;
  spool: EndpointStore & Registry;
  vault: WebhookParts["vault"];
  post: PostWebhook;
  clock: Clock;
}

export function wireWebhooks({ config, spool, vault, post, clock }: WebhookWiring): WebhookEndpoints {
  return new WebhookEndpoints({ store: spool, registry: spool, vault, newSecret, post, clock, limits: config });
}

/** Posts a request with a separate poster, for programs that end soon after. */
export function postAlone({ dnsServers, webhookAllowPrivate, sendingIps }: Config): PostWebhook {
  return async (request) => {
    const poster = createPoster({
      resolver: createResolver({ servers: dnsServers }),
      clock: systemClock,
      allowPrivate: webhookAllowPrivate,
      isOwnAddress: ownAddresses({ clock: systemClock, sendingIps: sendingIps ?? [] }),
    });
    try {
      return await poster.post(request);
    } finally {
      await poster.close();
    }
  };
}
