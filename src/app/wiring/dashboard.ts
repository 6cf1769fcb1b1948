/**
 * The dashboard, wired to its siblings: DNS, keys and seals, the doctor. Here because it joins them; pages and their
 * rules are in dashboard/.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Config } from "../../config.ts";
import { createDashboard, type Dashboard } from "../../dashboard/dashboard.ts";
import { PageRefusal } from "../../dashboard/web/page-error.ts";
import type { DashboardParts } from "../../dashboard/web/parts.ts";
import type { CheckContext } from "../../domains/check.ts";
import { checkDkim } from "../../domains/dkim.ts";
import { dkimRecord, recordsToPublish } from "../../domains/records.ts";
import { openApiDocument } from "../../http/openapi.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Logger } from "../../lib/log.ts";
import { SerialQueues } from "../../lib/serial-queues.ts";
import { newApiKey } from "../../security/api-key.ts";
import type { Vault } from "../../security/vault.ts";
import type { Domain } from "../../spool/port/accounts.ts";
import type { SqliteStore } from "../../spool/sqlite/sqlite-spool.ts";
import { bindDomain, verifyNow } from "../bind-domain.ts";
import type { HostWatch } from "../host-watch.ts";
import type { Readiness } from "../readiness.ts";
import { finishRotation, finishRotations, startRotation } from "../rotate-dkim.ts";

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
  Pick<DashboardParts, "addresses" | "responses" | "memory" | "pace" | "acceptMessage"> & {
    log: Logger;
    readiness: Readiness;
    hostWatch: HostWatch;
  };

/** The dashboard as browsers reach it: at `publicUrl`, and over HTTPS or not. */
export function wireDashboard(
  parts: WiringParts,
  { publicUrl, secure }: Pick<DashboardParts, "publicUrl" | "secure">,
): Dashboard {
  const { config, registry, clock, log, readiness, hostWatch, addresses, responses, memory, pace, acceptMessage } =
    parts;
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
    memory,
    pace,
    trustedProxies: config.trustProxy,
    acceptMessage,
    sending: {
      quotaDaily: config.quotaDaily,
      suppressAfter: config.suppressAfter,
      maxAgeMs: config.retryMaxAgeMs,
      unavailableReason: () => readiness.refusal(),
    },
    limits: config,
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
  const underWay = new Set<string>();
  const look = (): void => {
    finishRotations(registry, { context, nowMs: clock.now(), underWay }).catch((error) => {
      log.warn({ err: error }, "waiting DKIM keys could not be looked at");
    });
    sleep();
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

const CHECKS_WAITING_MAX = 5;

/** Checks ask the DNS for seconds, and an RSA key takes a core: an account has one of each under way. */
function domainActions({ config, registry, vault, context, clock }: ActionParts): DashboardParts["domains"] {
  const checks = new SerialQueues(CHECKS_WAITING_MAX);
  const newKeys = new SerialQueues();
  const check = inTurn(
    checks,
    "Too many checks of this account's domains are waiting. Try again when they have ended.",
  );
  const makeKey = inTurn(newKeys, "Too many DKIM keys of this account are being made. Try again in a few seconds.");
  return {
    bind(accountId, name) {
      const { domainsMax } = config;
      return makeKey(accountId, () => bindDomain(registry, vault, { accountId, name, nowMs: clock.now(), domainsMax }));
    },
    verify: (domain) => check(domain.accountId, () => verify(registry, domain, { context, nowMs: clock.now() })),
    records: (domain) => recordsToPublish(domain, context),
    lookAtRotation: (domain, { selector, publicKey }) =>
      check(domain.accountId, () => checkDkim({ ...domain, selector, publicKey }, context)),
    rotationRecord: ({ name }, { selector, publicKey }) => dkimRecord({ name, selector, publicKey }),
    rotate: (domain) => makeKey(domain.accountId, () => startRotation(registry, vault, { domain, nowMs: clock.now() })),
  };
}

/** Runs work in its account's turn; throws the refusal when too much of the account waits already. */
function inTurn(turns: SerialQueues, refusal: string) {
  return async <T>(accountId: string, work: () => Promise<T>): Promise<T> => {
    const turn = turns.take(accountId, work);
    if (turn === null) throw new PageRefusal("too_many_waiting", refusal);
    return turn;
  };
}

async function verify(
  registry: SqliteStore,
  { accountId, name }: Domain,
  at: { context: CheckContext; nowMs: number },
): Promise<void> {
  // As it is now: it may have waited behind other checks of it.
  const domain = await registry.domainNamed(accountId, name);
  if (domain === null) return;
  const verified = await verifyNow(registry, domain, at);
  const rotation = (await registry.rotations()).find(({ domainId }) => domainId === domain.id);
  if (rotation === undefined || !(await finishRotation(registry, rotation, { domain: verified, ...at }))) return;
  // Under the new key the DKIM check has something else to look at.
  const renewed = await registry.domainNamed(accountId, name);
  if (renewed !== null) await verifyNow(registry, renewed, at);
}

function secretActions({ vault }: ActionParts): DashboardParts["secrets"] {
  return {
    newApiKey,
    seal: (name, plaintext) => vault.seal(name, plaintext),
    open: (name, sealed) => vault.open(name, sealed),
  };
}
