/**
 * The parts of a service that all others use: the opened spool, the vault, the metrics and the clock. Opening them includes the
 * recovery of what the last run left behind, and the first user.
 */

import { feedbackKey } from "../app/incoming/feedback-key.ts";
import type { Installation } from "../app/installation/installation-parts.ts";
import { masterKeyState, openInstalledVault } from "../app/installation/master-key.ts";
import type { Config } from "../config.ts";
import type { Finding } from "../doctor/finding.ts";
import { masterKeyFinding } from "../doctor/master-key.ts";
import { type Clock, systemClock } from "../lib/clock.ts";
import type { Logger } from "../lib/log.ts";
import { type MemoryStatus, unlimitedMemory } from "../lib/memory-guard.ts";
import { hashPassword } from "../security/passwords.ts";
import type { Vault } from "../security/vault.ts";
import type { Registry } from "../spool/port/accounts.ts";
import { describePause, readDeliveryPause } from "../spool/port/delivery-pause.ts";
import { SpoolUnavailable } from "../spool/port/errors.ts";
import type { Store } from "../spool/port/store.ts";
import { installationOf } from "./installation.ts";
import { createMetrics, type Metrics } from "./metrics.ts";
import { nodeIdentity } from "./node-identity.ts";
import { openSpool } from "./open-spool.ts";

/** The process that a service runs in. */
export interface ServiceHost {
  onFatal: (error: Error) => void;
  /** Of a process that is only the service's; unlimited without it. */
  memory?: MemoryStatus;
  /** Of one of several workers on a port. */
  worker?: WorkerHost;
}

interface WorkerHost {
  /** Whether this worker reports what is the same for all of them. */
  isFirst: boolean;
  metrics: {
    /** Sets how this worker's own metrics are rendered. */
    renderWith(render: () => Promise<string>): void;
    /** Those of all workers. */
    all(): Promise<string>;
  };
}

export interface ServiceCore {
  config: Config;
  log: Logger;
  clock: Clock;
  memory: MemoryStatus;
  onFatal: (error: Error) => void;
  installation: Installation;
  vault: Vault;
  /** The master key as it was at the start. */
  masterKey: Finding;
  /** Signs what comes back: 32 bytes, the same for every process of the service. */
  feedbackKey: Buffer;
  /** The spool, with each use of it counted in `metrics`. */
  spool: Store;
  metrics: Metrics;
  /** The result of recipients whose attempt ended without a known result. */
  recoveredResult: "unknown" | "pending";
}

/** Opens the spool and the vault. Rejects with one line where it cannot; the spool may then still be open. */
export async function openCore(
  config: Config,
  log: Logger,
  { onFatal, memory = unlimitedMemory, worker }: ServiceHost,
): Promise<ServiceCore> {
  const clock = systemClock;
  const installation = await installationOf(config);
  const openVault = () => openInstalledVault(installation);
  const store = await openSpool(config, { role: "service", clock, log, onFatal, openVault });
  store.onDamage((damage) => log.error(damage, "spool damage"));
  // Only now: the master key can be rotated until a service holds the spool.
  const vault = await openVault().catch((error) => closed(store, error));
  const masterKey = await checkMasterKey(installation, log);
  const { metrics, observed: spool } = measure(store, { config, clock, worker });
  const recoveredResult: ServiceCore["recoveredResult"] = config.unknownPolicy === "hold" ? "unknown" : "pending";
  const core: ServiceCore = {
    config,
    log,
    clock,
    memory,
    onFatal,
    installation,
    vault,
    feedbackKey: await feedbackKey({ store: spool, vault, log }).catch((error) => closed(store, error)),
    masterKey,
    spool,
    metrics,
    recoveredResult,
  };
  await recoverSpool(core);
  await createFirstUser(config, spool, clock);
  return core;
}

interface Measuring {
  config: Config;
  clock: Clock;
  worker: WorkerHost | undefined;
}

/** A scrape of one worker is answered with the metrics of all, each series with its node. */
function measure(store: Store, { config, clock, worker }: Measuring): { metrics: Metrics; observed: Store } {
  const { name, version } = nodeIdentity(config);
  const node = { name, version };
  if (worker === undefined) return createMetrics(store, { clock, node });
  const { metrics, observed } = createMetrics(store, { clock, node, labels: { node: name } });
  worker.metrics.renderWith(() => metrics.text());
  return { metrics: { ...metrics, text: () => worker.metrics.all() }, observed };
}

/** Closes the spool, for which there is no vault. */
async function closed(store: Store, error: unknown): Promise<never> {
  await store.close();
  throw error;
}

async function checkMasterKey(installation: Installation, log: Logger): Promise<Finding> {
  const finding = masterKeyFinding(await masterKeyState(installation));
  if (finding.state === "problem") log.error(finding, "master key check failed");
  else if (finding.state !== "ok") log.warn(finding, "master key check failed");
  return finding;
}

/** Recovers what the last run left behind, and from now on what other nodes leave. */
async function recoverSpool(core: ServiceCore): Promise<void> {
  const { spool, log } = core;
  await recover(core);
  spool.onExpiredLeases(() => {
    recover(core).catch((error) => {
      if (!(error instanceof SpoolUnavailable)) throw error;
      log.warn({ error: error.message }, "recovery failed: the spool is unavailable");
    });
  });
  const pause = await readDeliveryPause(spool);
  if (pause !== null) log.warn(describePause(pause));
}

async function recover({ spool, clock, log, recoveredResult }: ServiceCore): Promise<void> {
  const recipients = await spool.recover(clock.now(), recoveredResult);
  if (recipients > 0) log.warn({ recipients }, "recovered recipients whose attempt had reached the final dot");
}

async function createFirstUser({ admin }: Config, registry: Registry, clock: Clock): Promise<void> {
  if (admin === null || (await registry.hasUsers())) return;
  const account = await registry.accountNamed("default");
  if (account === null) throw new Error("the spool has no default account");
  const passwordHash = await hashPassword(admin.password);
  // "has_users": another node has created it meanwhile.
  await registry.createFirstUser({
    email: admin.email,
    accountId: account.id,
    passwordHash,
    operator: true,
    createdAtMs: clock.now(),
  });
}
