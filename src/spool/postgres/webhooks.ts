/**
 * The part of the facade for webhook endpoints and what is sent to them. The caller announces changes of endpoints.
 */
import type { Webhooks } from "../port/webhooks.ts";
import type { Database } from "./database.ts";
import { attemptReads } from "./endpoint-attempts.ts";
import { endpointChanges } from "./endpoint-changes.ts";
import { endpointOperations } from "./endpoints.ts";
import { webhookReads } from "./webhook-reads.ts";
import { webhookSettlement } from "./webhook-settlement.ts";

export function webhookOperations(database: Database): Webhooks {
  return {
    ...endpointOperations(database),
    ...endpointChanges(database),
    ...attemptReads(database),
    ...webhookReads(database),
    ...webhookSettlement(database),
  };
}
