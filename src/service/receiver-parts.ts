/** Wires what watches receivers and keys: alarms of blocks and of held keys, by one process, and the daily preflight of this host's addresses. */
import type { SendingAddresses } from "../app/domains/sending-addresses.ts";
import { DailyPreflight } from "../app/installation/daily-preflight.ts";
import { runDutyTask } from "../app/installation/duty-task.ts";
import { startKeyAlarms } from "../app/installation/key-alarms.ts";
import { type ReceiverAlarmParts, startReceiverAlarms, tellWorse } from "../app/installation/receiver-alarms.ts";
import { configuredPreflight } from "../doctor/configured-preflight.ts";
import type { ServiceCore } from "./service-core.ts";

export interface ReceiverWiring extends Pick<ReceiverAlarmParts, "acceptMessage" | "publicUrl" | "traffic"> {
  /** The addresses of this host. */
  addresses: Pick<SendingAddresses, "here">;
  /** Whether this process is the one of its host that runs preflights. */
  isFirst: boolean;
}

/** Starts them. Returns how to stop. */
export function startReceiverWatch(core: ServiceCore, wiring: ReceiverWiring): () => Promise<void> {
  const { config, spool, clock, log } = core;
  const { acceptMessage, publicUrl, traffic, addresses, isFirst } = wiring;
  const parts = {
    spool,
    registry: spool,
    people: spool.people,
    clock,
    log,
    acceptMessage,
    publicUrl,
    traffic,
    configured: config.destinationLimits,
  };
  const alarms = runDutyTask(spool.duties, "receiver_alarms", () => startReceiverAlarms(parts));
  const keyAlarms = runDutyTask(spool.duties, "key_alarms", () => startKeyAlarms(parts));
  const preflight = new DailyPreflight({
    spool,
    clock,
    log,
    random: Math.random,
    examine: (profiles) => configuredPreflight(config, profiles, async () => addresses.here),
    onWorse: (sentences, atMs) => tellWorse(parts, sentences, atMs),
  });
  // With a sink, nothing is sent from this host.
  if (isFirst && config.preflight === "daily" && config.sink === null) preflight.start();
  return async () => {
    preflight.stop();
    await Promise.all([alarms.stop(), keyAlarms.stop()]);
  };
}
