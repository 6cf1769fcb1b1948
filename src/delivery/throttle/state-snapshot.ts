/**
 * What delivery has learnt of other hosts, kept across restarts: the windows of destinations and which addresses do not
 * answer. Losing it costs only time, so it is written now and then and at the end.
 */
import type { Clock } from "../../lib/clock.ts";
import type { Logger } from "../../lib/log.ts";
import type { Spool } from "../../spool/port/spool.ts";
import type { CongestionWindows } from "./congestion-window.ts";
import type { HostHealth } from "./host-health.ts";

const NOTE = "delivery-memory";
const WRITE_EVERY_MS = 60_000;

export interface Remembering {
  spool: Pick<Spool, "readValue" | "writeValue">;
  clock: Clock;
  log: Logger;
  destinations: CongestionWindows;
  health: HostHealth;
}

/** Restores what was written, and goes on writing; `stop` writes once more. Never rejects. */
export async function rememberDestinations(remembering: Remembering): Promise<{ stop(): Promise<void> }> {
  const { spool, clock, log, destinations, health } = remembering;
  let written = "";
  const trouble = (error: Error): void => log.warn({ error: error.message }, "delivery's memory cannot be kept");
  const write = async (): Promise<void> => {
    const text = JSON.stringify({ destinations: destinations.states(clock.monotonicMs()), addresses: health.states() });
    if (text === written) return;
    written = text;
    await spool.writeValue(NOTE, text).catch(trouble);
  };
  try {
    const known = JSON.parse((await spool.readValue(NOTE)) ?? "{}");
    destinations.restore(known.destinations ?? [], clock.monotonicMs());
    health.restore(known.addresses ?? []);
  } catch (error) {
    trouble(error as Error);
  }
  let cancel: () => void = () => {};
  const writeAgain = (): void => {
    cancel = clock.after(WRITE_EVERY_MS, () => void write().then(writeAgain));
  };
  writeAgain();
  return {
    async stop() {
      cancel();
      await write();
    },
  };
}
