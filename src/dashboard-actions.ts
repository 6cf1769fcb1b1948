/**
 * The dashboard, wired to its siblings: DNS, keys and seals, the doctor. Here because it joins them; pages and their
 * rules are in dashboard/.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import { bindDomain, verifyNow } from "./binding.ts";
import type { Clock } from "./clock.ts";
import type { Config } from "./config.ts";
import { createDashboard, type Dashboard } from "./dashboard/dashboard.ts";
import type { DashboardParts } from "./dashboard/parts.ts";
import type { CheckContext } from "./domains/check.ts";
import { checkDkim } from "./domains/dkim.ts";
import { dkimRecord, recordsToPublish } from "./domains/records.ts";
import type { HostWatch } from "./host-watch.ts";
import { newApiKey } from "./http/api-key.ts";
import { openApiDocument } from "./http/openapi.ts";
import type { Logger } from "./log.ts";
import type { Readiness } from "./readiness.ts";
import { finishRotation, finishRotations, startRotation } from "./rotation.ts";
import type { Vault } from "./secrets.ts";
import type { SqliteStore } from "./spool/sqlite/sqlite-spool.ts";

/** Between looks for the records of DKIM keys that wait to take over. */
const ROTATION_LOOK_MS = 5 * 60_000;

export interface ActionParts {
  config: Config;
  registry: SqliteStore;
  vault: Vault;
  context: CheckContext;
  clock: Clock;
}

export type WiringParts = ActionParts &
  Pick<DashboardParts, "addresses" | "responses"> & { log: Logger; readiness: Readiness; hostWatch: HostWatch };

/** The dashboard as browsers reach it: at `publicUrl`, and over HTTPS or not. */
export function wireDashboard(
  parts: WiringParts,
  { publicUrl, secure }: Pick<DashboardParts, "publicUrl" | "secure">,
): Dashboard {
  const { config, registry, clock, log, readiness, hostWatch, addresses, responses } = parts;
  return createDashboard({
    spool: registry,
    registry,
    people: registry.people,
    reports: registry.reports,
    clock,
    log,
    publicUrl,
    secure,
    addresses,
    responses,
    trustedProxies: config.trustProxy,
    sending: {
      quotaDaily: config.quotaDaily,
      suppressAfter: config.suppressAfter,
      maxAgeMs: config.retryMaxAgeMs,
      refusal: () => readiness.refusal(),
    },
    domains: domainActions(parts),
    api: openApiDocument() as unknown as DashboardParts["api"],
    host: { hostname: config.hostname, look: () => hostWatch.look(), examine: () => hostWatch.examine() },
    secrets: secretActions(parts),
  });
}

export type Answer = (req: IncomingMessage, res: ServerResponse) => void;

/** Sends /dashboard to the dashboard, and browsers that come to the front door there too; the rest is the API's. */
export function mount(dashboard: Answer, api: Answer): Answer {
  return (req, res) => {
    const path = (req.url ?? "").split("?")[0] ?? "";
    if (path === "/dashboard" || path.startsWith("/dashboard/")) return dashboard(req, res);
    if (path !== "/" || req.method !== "GET" || !req.headers.accept?.includes("text/html")) return api(req, res);
    res.writeHead(302, { Location: "/dashboard" }).end();
  };
}

/** Looks for the records of waiting DKIM keys now and then; returns how to stop. */
export function watchRotations({ registry, context, clock, log }: WiringParts): () => void {
  let cancel = (): void => {};
  const look = (): void => {
    const looked = finishRotations(registry, { context, nowMs: clock.now() }).catch((error) => {
      log.warn({ err: error }, "waiting DKIM keys could not be looked at");
    });
    void looked.then(sleep);
  };
  const sleep = (): void => {
    if (!stopped) cancel = clock.after(ROTATION_LOOK_MS, look);
  };
  let stopped = false;
  sleep();
  return () => {
    stopped = true;
    cancel();
  };
}

function domainActions({ registry, vault, context, clock }: ActionParts): DashboardParts["domains"] {
  return {
    bind: (accountId, name) => bindDomain(registry, vault, { accountId, name, nowMs: clock.now() }),
    async verify(domain) {
      const at = { context, nowMs: clock.now() };
      const verified = await verifyNow(registry, domain, at);
      const rotation = (await registry.rotations()).find(({ domainId }) => domainId === domain.id);
      if (rotation === undefined || !(await finishRotation(registry, rotation, { domain: verified, ...at }))) return;
      // Under the new key the DKIM check has something else to look at.
      const renewed = await registry.domainNamed(domain.accountId, domain.name);
      if (renewed !== null) await verifyNow(registry, renewed, at);
    },
    records: (domain) => recordsToPublish(domain, context),
    lookAtRotation: (domain, { selector, publicKey }) => checkDkim({ ...domain, selector, publicKey }, context),
    rotationRecord: ({ name }, { selector, publicKey }) => dkimRecord({ name, selector, publicKey }),
    rotate: (domain) => startRotation(registry, vault, { domain, nowMs: clock.now() }),
  };
}

function secretActions({ vault }: ActionParts): DashboardParts["secrets"] {
  return {
    newApiKey,
    seal: (name, plaintext) => vault.seal(name, plaintext),
    open: (name, sealed) => vault.open(name, sealed),
  };
}
