/**
 * What all nodes do for each recipient domain: this process's own traffic from memory, that of other nodes as they last stored it.
 * Stores its traffic for them and for the command line, while there is any.
 */
import type { Clock } from "../../lib/clock.ts";
import { type KeyValueStore, NODE_ENTRIES } from "../../spool/port/key-value.ts";
import { type NodeTraffic, type OwnTraffic, parseTraffic } from "../../spool/port/node-traffic.ts";

const KEY = NODE_ENTRIES.traffic;
const WRITE_EVERY_MS = 5000;

export interface TrafficBoardParts {
  spool: Pick<KeyValueStore, "readLiveNodeValues" | "writeNodeValue">;
  clock: Clock;
  /** The name of this node, or of the host. */
  node: string;
  /** Whether other nodes may share the store. */
  isShared: boolean;
  own: () => OwnTraffic;
}

/** The traffic that live nodes have stored. */
export async function storedTraffic(
  spool: Pick<KeyValueStore, "readLiveNodeValues">,
  nowMs: number,
): Promise<NodeTraffic[]> {
  const texts = await spool.readLiveNodeValues(KEY);
  return texts.map((text) => parseTraffic(text, nowMs)).filter((traffic) => traffic !== null);
}

export class TrafficBoard {
  readonly #parts: TrafficBoardParts;
  #hasWritten = false;
  #cancelTimer: () => void = () => {};
  #writing: Promise<void> = Promise.resolve();

  constructor(parts: TrafficBoardParts) {
    this.#parts = parts;
  }

  /** Stores its traffic from now on, every few seconds. */
  start(): void {
    this.#cancelTimer = this.#parts.clock.after(WRITE_EVERY_MS, () => {
      this.#writing = this.#write(this.#own()).then(() => this.start());
    });
  }

  /** Stores that there is no traffic any more. Never rejects. */
  async stop(): Promise<void> {
    this.#cancelTimer();
    await this.#writing;
    this.#cancelTimer();
    await this.#write({ ...this.#own(), attempts: 0, domains: [], destinations: [], destinationOf: {} });
  }

  async all(): Promise<NodeTraffic[]> {
    const { spool, clock, node, isShared } = this.#parts;
    if (!isShared) return [this.#own()];
    const stored = await storedTraffic(spool, clock.now());
    return [this.#own(), ...stored.filter((other) => other.node !== node)];
  }

  #own(): NodeTraffic {
    const { node, own } = this.#parts;
    return { node, ...own() };
  }

  /** Losing a report costs nothing: the next one follows. A store that is unavailable is logged by others. */
  async #write(traffic: NodeTraffic): Promise<void> {
    const hasTraffic = traffic.domains.length + traffic.destinations.length > 0;
    if (!hasTraffic && !this.#hasWritten) return;
    try {
      await this.#parts.spool.writeNodeValue(KEY, JSON.stringify(traffic));
      this.#hasWritten = hasTraffic;
    } catch {}
  }
}
