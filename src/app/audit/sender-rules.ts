/** How changes of what an account sends with are described: domains, API keys, webhook endpoints, suppressed addresses. */
import { rfc3339 } from "../../lib/clock.ts";
import type { ApiKey, KeyAccess } from "../../spool/port/api-keys.ts";
import type { NamedKey } from "../../spool/port/key-fuses.ts";
import type { Store } from "../../spool/port/store.ts";
import type { Endpoint, EndpointChange } from "../../spool/port/webhooks.ts";
import { shownUrl } from "../webhooks/webhook-url.ts";
import { type Change, difference } from "./change.ts";
import { type Describe, notAudited, type RuleContext, type Rules, reads } from "./rule.ts";

const keyTarget = (key: Pick<ApiKey, "id" | "name">) => ({ kind: "key", id: key.id, name: key.name });

/** The key with its name, if the account has it. */
async function keyBefore({ store }: RuleContext, { accountId, keyId }: NamedKey): Promise<ApiKey | null> {
  return (await store.keys(accountId)).find(({ id }) => id === keyId) ?? null;
}

const domainTarget = (name: string | null, id: string | null = null) => ({ kind: "domain", id, name });

/** The name of a domain that a rotation is about, which stays known after its removal. */
async function rotatedName({ store }: RuleContext, domainId: string): Promise<string | null> {
  return store.signingKey(domainId).then(
    ({ domain }) => domain,
    () => null,
  );
}

const DOMAIN_RULES = {
  addDomain:
    (_context, { accountId, name, selector }) =>
    (domain) =>
      typeof domain === "string"
        ? null
        : { action: "domain.added", accountId, target: domainTarget(name, domain.id), after: { selector } },
  async removeDomain({ store }, accountId, name) {
    const domain = await store.domainNamed(accountId, name);
    const target = domainTarget(name, domain?.id);
    const before = domain === null ? null : { verified: domain.verified, selector: domain.selector };
    return (isRemoved) => (isRemoved ? { action: "domain.removed", accountId, target, before } : null);
  },
  async setReturnPath({ store }, accountId, name, on) {
    const wasOn = (await store.returnPathNamed(accountId, name)) !== null;
    const fields = { before: { return_path: wasOn }, after: { return_path: on } };
    return (isDone) =>
      isDone && wasOn !== on
        ? { action: "domain.return_path_set", accountId, target: domainTarget(name), ...fields }
        : null;
  },
  async startRotation(context, { domainId, selector }) {
    const target = domainTarget(await rotatedName(context, domainId), domainId);
    const { accountId } = context;
    return () => ({ action: "domain.dkim_rotation_started", accountId, target, after: { selector } });
  },
  async cancelRotation(context, domainId) {
    const target = domainTarget(await rotatedName(context, domainId), domainId);
    const { accountId } = context;
    return (isDone) => (isDone ? { action: "domain.dkim_rotation_cancelled", accountId, target } : null);
  },
  ...reads("domains", "domainNamed", "domainsDue", "nextDomainCheckMs", "checkHistory"),
  ...reads("signingKey", "successorKey", "rotations"),
  ...reads("returnPaths", "returnPathNamed", "returnPath", "returnPathOwner"),
  ...notAudited("it stores what checks found", "saveChecks", "saveReturnPath", "shortenCheckWaits"),
  ...notAudited("it follows from the published record", "finishRotation"),
} satisfies Partial<Rules<Store>>;

const accessFields = ({ permissions, domains, networks, expiresAtMs }: KeyAccess) => ({
  permissions,
  domains,
  networks,
  expires_at: expiresAtMs === null ? null : rfc3339(expiresAtMs),
});

const KEY_RULES = {
  createKey:
    (_context, { accountId }) =>
    (key) => {
      if (key === "too_many") return null;
      return {
        action: "key.created",
        accountId,
        target: keyTarget(key),
        after: { ...accessFields(key), test: key.test },
      };
    },
  async changeKey(context, { access, name, ...named }) {
    const key = await keyBefore(context, named);
    if (key === null) return () => null;
    const fields = difference({ name: key.name, ...accessFields(key) }, { name, ...accessFields(access) });
    return (changed) =>
      changed === "changed" && fields !== null
        ? { action: "key.changed", accountId: named.accountId, target: keyTarget(key), ...fields }
        : null;
  },
  async revokeKey(context, accountId, keyId) {
    const key = await keyBefore(context, { accountId, keyId });
    return (revoked) =>
      revoked === "revoked" && key !== null ? { action: "key.revoked", accountId, target: keyTarget(key) } : null;
  },
  async releaseKey(context, { accountId, keyId }) {
    const key = await keyBefore(context, { accountId, keyId });
    const target = keyTarget(key ?? { id: keyId, name: "" });
    return (isReleased) => (isReleased ? { action: "key.released", accountId, target } : null);
  },
  async setKeyFuse(context, { accountId, keyId }, { limit, isOff }) {
    const key = await keyBefore(context, { accountId, keyId });
    const fuse = (await context.store.keyFuses()).find((each) => each.keyId === keyId);
    const before = { limit: fuse?.limit ?? null, off: fuse?.isOff ?? false };
    const fields = difference(before, { limit, off: isOff });
    const target = keyTarget(key ?? { id: keyId, name: "" });
    return () => (fields === null ? null : { action: "key.fuse_set", accountId, target, ...fields });
  },
  ...reads("keys", "activeKey", "keyHistory", "keyFuses"),
  ...notAudited(
    "a key is held by the service, and its uses are counted",
    "touchKey",
    "addKeyUse",
    "holdKey",
    "warnKey",
  ),
} satisfies Partial<Rules<Store>>;

const endpointFields = ({ url, types, keys, domains }: Pick<Endpoint, "url" | "types" | "keys" | "domains">) => ({
  url: shownUrl(url),
  types,
  keys,
  domains,
});

async function endpointBefore({ store }: RuleContext, accountId: string, id: string): Promise<Endpoint | null> {
  return (await store.endpoints(accountId)).find((each) => each.id === id) ?? null;
}

const endpointTarget = ({ id, url }: Pick<Endpoint, "id" | "url">) => ({ kind: "webhook", id, name: shownUrl(url) });

/** The change of an endpoint; null for what the service changes, and for nothing. */
function endpointChange(
  endpoint: Endpoint,
  change: EndpointChange["change"],
): Omit<Change, "accountId" | "target"> | null {
  switch (change.type) {
    case "edit": {
      const after = endpointFields(change);
      const fields = difference(endpointFields(endpoint), after);
      // Of two URLs that are shown alike, the change is not.
      if (fields === null)
        return change.url === endpoint.url ? null : { action: "webhook.changed", after: { url: after.url } };
      return { action: "webhook.changed", ...fields };
    }
    case "pause":
      return { action: "webhook.paused" };
    case "resume":
      return endpoint.disabled === null
        ? { action: "webhook.resumed" }
        : { action: "webhook.resumed", before: { disabled: endpoint.disabled.reason } };
    case "rotate":
      return { action: "webhook.secret_rotated", after: { former_until: rfc3339(change.formerUntilMs) } };
    case "replay":
      return { action: "webhook.replayed", after: { since: rfc3339(change.sinceMs) } };
    case "replay_one":
      return { action: "webhook.replayed", after: { event_number: change.eventNumber } };
    case "notified":
      return null;
  }
}

const WEBHOOK_RULES = {
  createEndpoint:
    (_context, { accountId }) =>
    (endpoint) =>
      endpoint === "too_many"
        ? null
        : { action: "webhook.created", accountId, target: endpointTarget(endpoint), after: endpointFields(endpoint) },
  async changeEndpoint(context, { accountId, endpointId, change }): Promise<Describe<boolean>> {
    const endpoint = await endpointBefore(context, accountId, endpointId);
    const described = endpoint === null ? null : endpointChange(endpoint, change);
    if (endpoint === null || described === null) return () => null;
    return (isChanged) => (isChanged ? { accountId, target: endpointTarget(endpoint), ...described } : null);
  },
  async removeEndpoint(context, accountId, endpointId) {
    const endpoint = await endpointBefore(context, accountId, endpointId);
    const target = endpointTarget(endpoint ?? { id: endpointId, url: "" });
    const before = endpoint === null ? null : endpointFields(endpoint);
    return (isRemoved) => (isRemoved ? { action: "webhook.removed", accountId, target, before } : null);
  },
  ...reads("endpoints", "attempts", "event", "waitingAt", "freshEvents", "dueRetries"),
  ...notAudited("the service posts to endpoints automatically", "settleWebhooks"),
} satisfies Partial<Rules<Store>>;

export const SENDER_RULES = {
  ...DOMAIN_RULES,
  ...KEY_RULES,
  ...WEBHOOK_RULES,
  unsuppress: (_context, accountId, email) => (isRemoved) => {
    const target = { kind: "suppression", id: null, name: email };
    return isRemoved ? { action: "suppression.removed", accountId, target } : null;
  },
  addSuppressions:
    (_context, { accountId, suppressions }) =>
    ({ added, changed }) => {
      if (added + changed === 0) return null;
      const [only, ...others] = suppressions;
      const name = only === undefined || others.length > 0 ? null : only.address;
      return {
        action: "suppression.added",
        accountId,
        target: { kind: "suppression", id: null, name },
        after: { causes: [...new Set(suppressions.map(({ cause }) => cause))] },
        counts: { recipients: added + changed, messages: [] },
      };
    },
  ...reads("suppressions", "suppression"),
} satisfies Partial<Rules<Store>>;
