/** The store's operations on PostgreSQL, without the rest of a spool. */
import { bind } from "../../../src/spool/engine/operations.ts";
import type { Database } from "../../../src/spool/engine/postgres/connection/database.ts";
import { postgresRunner, type RunnerParts } from "../../../src/spool/engine/postgres/connection/postgres-runner.ts";
import { webhookReads } from "../../../src/spool/engine/postgres/webhooks/webhook-reads.ts";
import type { Webhooks } from "../../../src/spool/port/webhooks.ts";
import {
  PEOPLE_OPERATIONS,
  RECIPIENT_DOMAIN_OPERATIONS,
  REGISTRY_OPERATIONS,
} from "../../../src/spool/store/operations.ts";
import { webhookPort } from "../../../src/spool/store/webhook-port.ts";

export const registryOf = (database: Database, parts?: RunnerParts) =>
  bind(REGISTRY_OPERATIONS, postgresRunner(database, parts));
export const peopleOf = (database: Database) => bind(PEOPLE_OPERATIONS, postgresRunner(database));
export const webhooksOf = (database: Database): Webhooks => ({
  ...webhookPort(postgresRunner(database), () => {}),
  ...webhookReads(database),
});
export const recipientDomainsOf = (database: Database) => bind(RECIPIENT_DOMAIN_OPERATIONS, postgresRunner(database));
