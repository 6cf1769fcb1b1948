/** How a process opens the spool. */
import type { Clock } from "../lib/clock.ts";
import type { Logger } from "../lib/log.ts";
import type { Vault } from "../security/vault.ts";

export interface OpenOptions {
  /** `service` delivers; `client` (the command line) works beside it. */
  role: "service" | "client";
  clock: Clock;
  /** Silent if absent. */
  log?: Logger;
  /** With a SettingError if the process may not go on as a node of the database. */
  onFatal: (error: Error) => void;
  /** Opens the vault. A database is used only by processes with the same master key. */
  openVault: () => Promise<Vault>;
}
