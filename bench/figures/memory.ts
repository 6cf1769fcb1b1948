/**
 * Resident memory when idle, under maximum load and with a million waiting messages, and the start time with those
 * messages.
 */
import { setTimeout as delay } from "node:timers/promises";
import { memoryMb } from "../proc.ts";
import { type Postrider, startPostrider } from "../sides/postrider.ts";
import type { Account } from "../sides/postrider-account.ts";
import { ADDRESSES, OURS } from "../sides/side.ts";
import { startSmtpSink } from "../smtp-sink.ts";
import { type Bench, CLIENTS, type Scenario } from "./figure.ts";
import { fullSpool } from "./full-spool.ts";

const IDLE_MB_MAX = 120;
const LOADED_MB_MAX = 300;
const WAITING_MB_MAX = 400;
const READY_S_MAX = 5;
/** The time after which temporary memory of the start is freed. */
const REST_MS = 3000;

interface Measured {
  idleMb: number;
  loadedMb: number;
  readyS: number;
}

async function measureOne({ options }: Bench, account: Account): Promise<Measured> {
  const service: Postrider = await startPostrider({ account });
  const sink = await startSmtpSink({ ...ADDRESSES.sink, counting: "polled" });
  await delay(REST_MS);
  const idleMb = memoryMb(service.pid).now;
  await service.burst(sink, { messages: options.messages, clients: CLIENTS });
  const loadedMb = memoryMb(service.pid).peak;
  await service.stop();
  await sink.stop();
  return { idleMb, loadedMb, readyS: service.readyMs / 1000 };
}

export const memory: Scenario = {
  figures: ["memory", "start"],
  async measure(bench) {
    const { rounds, spoolMessages: waiting } = bench.options;
    const [fresh, full]: [Measured[], Measured[]] = [[], []];
    const account = await fullSpool(bench, "waiting", { finished: 0, waiting });
    for (let round = 0; round < rounds; round++) {
      fresh.push(await measureOne(bench, await bench.newAccount("memory")));
      full.push(await measureOne(bench, account));
    }
    const add = (figure: string, unit: string, values: number[], atMost: number): void =>
      bench.report.add({ figure, subject: OURS, unit, values, goal: { atMost } });
    const mb = (rounds: Measured[], of: "idleMb" | "loadedMb"): number[] => rounds.map((m) => m[of]);
    add("memory", "MB idle", mb(fresh, "idleMb"), IDLE_MB_MAX);
    add("memory", "MB at most under full load", mb(fresh, "loadedMb"), LOADED_MB_MAX);
    add("memory", `MB with ${waiting} waiting`, mb(full, "idleMb"), WAITING_MB_MAX);
    add("memory", `MB at most with ${waiting} waiting under full load`, mb(full, "loadedMb"), WAITING_MB_MAX);
    const readyS = full.map((m) => m.readyS);
    add("start", `s until ready with ${waiting} waiting`, readyS, READY_S_MAX);
  },
};
