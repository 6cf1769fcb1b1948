/**
 * The parts of a service that all others use: the opened spool, the vault, the metrics and the clock. Opening them includes the
 * recovery of what the last run left behind, and the first user.
 */
import type { Config } from "../../config.ts";
import type { Finding } from "../../doctor/finding.ts";
import { masterKeyFinding } from "../../doctor/master-key.ts";
import { type Clock, systemClock } from "../../lib/clock.ts";
import type { Logger } from "../../lib/log.ts";
import { type MemoryStatus, unlimitedMemory } from "../../lib/memory-guard.ts";
import { hashPassword } from "../../security/passwords.ts";
import type { Vault } from "../../security/vault.ts";
import type { Registry } from "../../spool/port/accounts.ts";
import { describePause, readDeliveryPause } from "../../spool/port/delivery-pause.ts";
import { openSqliteSpool, type SqliteStore } from "../../spool/sqlite/sqlite-spool.ts";
import type { Installation } from "../installation.ts";
import { masterKeyState, openInstalledVault } from "../master-key.ts";
import { sqliteInstallation } from "./installation.ts";
import { createMetrics, type Metrics } from "./metrics.ts";

/** The process that a service runs in. */
export interface ServiceHost {
  onFatal: (error: Error) => void;
  /** Of a process that is the service's alone; unlimited without it. */
  memory?: MemoryStatus;
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
  /** The spool, with each use of it counted in `metrics`. */
  spool: SqliteStore;
  metrics: Metrics;
  /** The result of recipients whose attempt ended without a known result. */
  recoveredResult: "unknown" | "pending";
}

/** Opens the spool and the vault. Rejects with one line where it cannot; the spool may then still be open. */
export async function openCore(
  config: Config,
  log: Logger,
  { onFatal, memory = unlimitedMemory }: ServiceHost,
): Promise<ServiceCore> {
  const clock = systemClock;
  const installation = sqliteInstallation(config);
  const store = await openSqliteSpool({ dataDir: config.dataDir, role: "service", onFatal });
  store.onDamage((damage) => log.error(damage, "spool damage"));
  // Only now: the master key can be rotated until a service holds the spool.
  const vault = await openVault(installation, store);
  const masterKey = checkMasterKey(installation, log);
  const { metrics, observed: spool } = createMetrics(store, clock);
  const recoveredResult: ServiceCore["recoveredResult"] = config.unknownPolicy === "hold" ? "unknown" : "pending";
  const core: ServiceCore = {
    ...{ config, log, clock, memory, onFatal, installation, vault },
    ...{ masterKey, spool, metrics, recoveredResult },
  };
  await recoverSpool(core);
  await createFirstUser(config, spool, clock);
  return core;
}

/** Closes the spool if there is no vault for it. */
async function openVault(installation: Installation, store: { close(): Promise<void> }): Promise<Vault> {
  try {
    return openInstalledVault(installation);
  } catch (error) {
    await store.close();
    throw error;
  }
}

function checkMasterKey(installation: Installation, log: Logger): Finding {
  const finding = masterKeyFinding(masterKeyState(installation));
  if (finding.state === "problem") log.error(finding, "master key check failed");
  else if (finding.state !== "ok") log.warn(finding, "master key check failed");
  return finding;
}

async function recoverSpool({ spool, clock, log, recoveredResult }: ServiceCore): Promise<void> {
  const recipients = await spool.recover(clock.now(), recoveredResult);
  if (recipients > 0) log.warn({ recipients }, "recovered recipients whose attempt had reached the final dot");
  const pause = await readDeliveryPause(spool);
  if (pause !== null) log.warn(describePause(pause));
}

async function createFirstUser({ admin, usersMax }: Config, registry: Registry, clock: Clock): Promise<void> {
  if (admin === null || (await registry.hasUsers())) return;
  const account = await registry.accountNamed("default");
  if (account === null) throw new Error("the spool has no default account");
  const passwordHash = await hashPassword(admin.password);
  await registry.createUser({
    email: admin.email,
    accountId: account.id,
    passwordHash,
    operator: true,
    createdAtMs: clock.now(),
    usersMax,
  });
}
