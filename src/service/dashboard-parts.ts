/**
 * Wires the dashboard to the spool, the domain use cases, the doctor and the vault. Pages and their rules are in
 * dashboard/.
 */
import type { RequestListener } from "node:http";
import type { HostWatch } from "../app/installation/host-watch.ts";
import type { Readiness } from "../app/installation/readiness.ts";
import type { AcceptMessage } from "../app/send/accept-message.ts";
import { withoutSecretContents } from "../app/send/link-message.ts";
import { TestMessages } from "../app/send/test-message.ts";
import { UNSUBSCRIBE_PATH } from "../app/send/unsubscribe-links.ts";
import type { Config } from "../config.ts";
import { createDashboard, type Dashboard } from "../dashboard/dashboard.ts";
import type { DashboardParts } from "../dashboard/web/parts.ts";
import { referenceDocument } from "../http/reference-document.ts";
import { problemCatalog } from "../http/response/problem-catalog.ts";
import { ERRORS_PATH } from "../http/response/problems.ts";
import { IdentityProvider } from "../identity/identity-provider.ts";
import type { Clock } from "../lib/clock.ts";
import type { Logger } from "../lib/log.ts";
import type { Vault } from "../security/vault.ts";
import type { Store } from "../spool/port/store.ts";
import type { Changes } from "./changing-parts.ts";

export interface WiringParts extends Pick<DashboardParts, "addresses" | "responses" | "memory" | "pace" | "traffic"> {
  config: Config;
  registry: Store;
  vault: Vault;
  clock: Clock;
  log: Logger;
  acceptMessage: Pick<AcceptMessage, "accept">;
  readiness: Readiness;
  hostWatch: HostWatch;
  changes: Changes;
}

/** Creates the dashboard, for browsers that reach it at `publicUrl`, over HTTPS if `secure`. */
export function wireDashboard(
  parts: WiringParts,
  { publicUrl, secure }: Pick<DashboardParts, "publicUrl" | "secure">,
): Dashboard {
  const { config, registry, clock, log, readiness, hostWatch } = parts;
  const { addresses, responses, memory, pace, traffic, acceptMessage } = parts;
  const testMessages = new TestMessages({ acceptMessage, clock, limits: registry });
  return createDashboard({
    ...parts.changes.unrecorded,
    actingAs: (actor) => parts.changes.actingAs(actor),
    clock,
    log,
    publicUrl,
    secure,
    addresses,
    responses,
    memory,
    pace,
    traffic,
    sendTestMessage: (message) => testMessages.send(message),
    reports: withoutSecretContents(registry.reports, registry),
    destinationLimits: config.destinationLimits,
    attemptLimiter: registry.attemptLimiter,
    heldValues: registry.heldValues,
    trustedProxies: config.trustProxy,
    sending: {
      quotaDaily: config.quotaDaily,
      suppressAfter: config.suppressAfter,
      maxAgeMs: config.retryMaxAgeMs,
      unavailableReason: () => readiness.refusal(),
    },
    limits: config,
    resultsKeptMs: config.retention.resultsMs,
    api: referenceDocument() as unknown as DashboardParts["api"],
    problems: problemCatalog(),
    host: { hostname: config.hostname, look: () => hostWatch.current(), examine: () => hostWatch.examine() },
    provider: providerOf(config, clock),
    groupMappings: config.oidc?.groups ?? [],
    passwordSignIn: config.passwordSignIn,
    secrets: parts.vault,
  });
}

function providerOf({ oidc }: Config, clock: Clock): IdentityProvider | null {
  if (oidc === null || oidc.clientSecret === null) return null;
  const { issuer, clientId, clientSecret, groups } = oidc;
  return new IdentityProvider(
    { issuer, clientId, clientSecret, groupsClaim: groups.length === 0 ? null : oidc.groupsClaim },
    clock,
  );
}

/** Handles an HTTP request. */
export type Answer = RequestListener;

export interface Mounted {
  dashboard: Answer;
  /** The pages of unsubscribe links. */
  unsubscribe: Answer;
  /** The page with contact data, also at / of the host's name; null where none is served. */
  contact: { hostname: string; answer: Answer } | null;
  /** The page of the API's errors. */
  errors: Answer;
  api: Answer;
}

/** Routes /dashboard and public pages to their applications, and other paths to the API. Redirects browsers from / to /dashboard. */
export function mount({ dashboard, unsubscribe, contact, errors, api }: Mounted): Answer {
  return (req, res) => {
    const path = (req.url ?? "").split("?")[0] ?? "";
    if (path.startsWith(UNSUBSCRIBE_PATH)) return unsubscribe(req, res);
    if (contact !== null && (path === "/contact" || (path === "/" && nameIn(req.headers.host) === contact.hostname)))
      return contact.answer(req, res);
    if (path === ERRORS_PATH) return errors(req, res);
    if (path === "/dashboard" || path.startsWith("/dashboard/")) return dashboard(req, res);
    if (path !== "/" || req.method !== "GET" || !req.headers.accept?.includes("text/html")) return api(req, res);
    res.writeHead(302, { Location: "/dashboard" }).end();
  };
}

/** The name in a Host field, without its port. */
const nameIn = (host = ""): string => host.toLowerCase().replace(/\.?(?::\d{0,5})?$/u, "");
