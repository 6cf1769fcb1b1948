/** Follows the event feed of an account at any node, as an app does that stores the cursor after the events. */
import { setTimeout as delay } from "node:timers/promises";
import type { Sender } from "../sender.ts";
import type { ClusterNode } from "./cluster-node.ts";

const PAUSE_MS = 100;
const TIMEOUT_MS = 4000;
const LIMIT = 100;
const FAILURES_MAX = 20;

/** An event as the feed has it. */
export interface FeedEvent {
  id: string;
  type: string;
  sequence: number;
  message_id: string;
  recipient: { email: string; result: string; reason: string | null; attempts: number } | null;
}

export class FeedReader {
  /** In the order in which they were read. */
  readonly events: FeedEvent[] = [];
  readonly sender: Sender;
  readonly #nodes: readonly ClusterNode[];
  #cursor: string | null = null;
  #isFollowing = true;
  readonly #following: Promise<void>;

  constructor(sender: Sender, nodes: readonly ClusterNode[]) {
    this.sender = sender;
    this.#nodes = nodes;
    this.#following = this.#follow();
  }

  /** Reads to the end of the feed. Returns false if no node answers. */
  async finish(): Promise<boolean> {
    this.#isFollowing = false;
    await this.#following;
    let failures = 0;
    for (let count: number | null = null; count !== 0; ) {
      count = await this.#read();
      if (count === null) failures += 1;
      if (failures > FAILURES_MAX) return false;
    }
    return true;
  }

  async #follow(): Promise<void> {
    while (this.#isFollowing) {
      await this.#read();
      await delay(PAUSE_MS);
    }
  }

  /** Returns how many events a node returned; null if none answered. */
  async #read(): Promise<number | null> {
    const urls = this.#nodes.flatMap(({ url }) => url ?? []);
    const url = urls[Math.floor(Math.random() * urls.length)];
    if (url === undefined) return null;
    const query = new URLSearchParams({
      limit: String(LIMIT),
      ...(this.#cursor === null ? {} : { after: this.#cursor }),
    });
    try {
      const response = await fetch(`${url}/api/sending/events?${query}`, {
        headers: { authorization: `Bearer ${this.sender.key}` },
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      if (response.status !== 200) return null;
      const { events, next } = (await response.json()) as { events: FeedEvent[]; next: string };
      this.events.push(...events);
      this.#cursor = next;
      return events.length;
    } catch {
      return null;
    }
  }
}
