/**
 * Runs in which all mail leaves from one sending address that is warmed up: each receiver may get a few messages a day, of the service's
 * wall clock, however often the process is killed and the clock is set.
 */

import Sqlite from "../src/spool/engine/sqlite/connection/driver.ts";
import { writeSendingAddress } from "../src/spool/port/sending-addresses.ts";
import type { History } from "./history.ts";

const EVERY = 50;
const REMAINDER = 7;
const DAILY = 1;
/** The wall clock is on two days of the run, because it begins at midnight and is set back by hours. */
const DAYS = 2;
const SCHEDULE = Array.from({ length: 10 }, () => DAILY);

/** None is of a run with a focus, an overloaded domain, vanished records or limited receivers. */
export const hasWarmUp = (seed: number): boolean => seed % EVERY === REMAINDER;

/** The database file with the address. */
export async function withWarmUp(file: Buffer): Promise<Buffer> {
  const db = new Sqlite(file);
  const insert = db.prepare("INSERT INTO key_values (name, text) VALUES (?, ?)");
  const store = {
    readValue: async () => null,
    writeValue: async (name: string, text: string) => void insert.run(name, text),
  };
  const warmUp = { schedule: SCHEDULE, firstPlace: 0 };
  const address = { name: "mail.sender.example", bind: null, pool: "default", isPaused: false, warmUp };
  await writeSendingAddress(store, "127.0.0.9", address);
  const changed = db.serialize();
  db.close();
  return changed;
}

/** A message of several recipients at a receiver counts once here: what a killed process did not report may be more. */
export function warmUpIsRespected({ deliveries }: History): string[] {
  const messages = new Map<string, Set<string>>();
  for (const { recipient, messageId } of deliveries) {
    const domain = recipient.slice(recipient.lastIndexOf("@") + 1);
    messages.set(domain, (messages.get(domain) ?? new Set()).add(messageId));
  }
  return [...messages]
    .filter(([, { size }]) => size > DAYS * DAILY)
    .map(([domain, { size }]) => `warm-up exceeded: ${domain} got ${size} messages in ${DAYS} days`);
}
