/** The methods of the port for webhook endpoints and what is sent to them, but for the reads of events. */
import { bind, type Runner } from "../engine/operations.ts";
import type { Webhooks } from "../port/webhooks.ts";
import { WEBHOOK_OPERATIONS } from "./operations.ts";

export type WebhookPort = Omit<Webhooks, "event" | "freshEvents">;

/** `changed` is called after each change of an endpoint: the sender must read the endpoints again. */
export function webhookPort(runner: Runner, changed: () => void): WebhookPort {
  const { endpoint, ...operations } = bind(WEBHOOK_OPERATIONS, runner);
  const announced = async (changing: Promise<boolean>): Promise<boolean> => {
    const isChanged = await changing;
    if (isChanged) changed();
    return isChanged;
  };
  return {
    ...operations,
    async createEndpoint(newEndpoint) {
      if ((await operations.createEndpoint(newEndpoint)) === "too_many") return "too_many";
      changed();
      const created = await endpoint(newEndpoint.id);
      if (created === null) throw new Error(`the webhook endpoint ${newEndpoint.id} was created but is missing`);
      return created;
    },
    changeEndpoint: (change) => announced(operations.changeEndpoint(change)),
    removeEndpoint: (accountId, endpointId) => announced(operations.removeEndpoint(accountId, endpointId)),
  };
}
