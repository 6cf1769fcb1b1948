/**
 * The part of the facade for API keys, quotas, the service's secrets, and what every send reads of its domain.
 */

import type { Registry } from "../../../port/accounts.ts";
import type { ApiKeys } from "../../../port/api-keys.ts";
import { quotaDay } from "../../../records/quota-day.ts";
import { apiKeyOperations, apiKeysOf, hashName } from "../../../store/accounts/api-keys.ts";
import { domainOperations } from "../../../store/domains/domains.ts";
import { returnPathOperations } from "../../../store/domains/return-paths.ts";
import type { REGISTRY_OPERATIONS } from "../../../store/operations.ts";
import type { PortOf } from "../../operations.ts";
import { SpoolClient } from "../connection/spool-client.ts";

/** Without the operations of the store, which sqlite-spool.ts adds. */
type Part = Omit<Registry, keyof PortOf<typeof REGISTRY_OPERATIONS> | keyof ApiKeys>;

export abstract class AccountsClient extends SpoolClient implements Part {
  readonly apiKeys = apiKeysOf(this.runner, this.reader.cached(apiKeyOperations.reads.activeKey, hashName));
  /** The operations of the store that every send runs. */
  readonly sendReads = {
    domainNamed: this.reader.cached(domainOperations.reads.domainNamed, (accountId, name) => `${accountId} ${name}`),
    returnPath: this.reader.cached(returnPathOperations.reads.returnPath, (domainId) => domainId),
  };

  quotaUsed(accountId: string, atMs: number) {
    return this.reader.read((reads) => reads.quotaUsed(accountId, quotaDay(atMs)));
  }
}
