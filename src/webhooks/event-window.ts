/**
 * The events of one endpoint between its stored position and the last event read: which of them wait, are being sent, or are
 * done. In memory only; after a crash the events after the stored position are read and sent again.
 */
import type { OutboxEvent } from "../spool/port/events.ts";
import type { FreshEvents } from "../spool/port/webhooks.ts";

interface Entry {
  event: OutboxEvent;
  state: "waiting" | "sending" | "done";
}

export interface BlockedEvent {
  orderKey: number;
  number: number;
}

export class EventWindow {
  /** In the order of their numbers. */
  #entries: Entry[] = [];
  #throughNumber: number;

  constructor(position: number) {
    this.#throughNumber = position;
  }

  /** All events through this number were read. */
  get throughNumber(): number {
    return this.#throughNumber;
  }

  /** All events through this number are done. */
  get position(): number {
    const first = this.#entries.find(({ state }) => state !== "done");
    return first === undefined ? this.#throughNumber : first.event.number - 1;
  }

  /** The events since the stored position. */
  get size(): number {
    return this.#entries.length;
  }

  /**
   * Adds a page read after `throughNumber`. Returns the events that an earlier one of their order key blocks, to be stored as
   * waiting; they, and those stored already, are done. `isHeld`: something of the order key is not stored yet, so the page may
   * not show that it blocks.
   */
  add({ events, throughNumber }: FreshEvents, isHeld: (orderKey: number) => boolean): BlockedEvent[] {
    const blocked: BlockedEvent[] = [];
    for (const { event, isBlocked, isCovered } of events) {
      if (isCovered) continue;
      const isDone = isBlocked || isHeld(event.orderKey);
      if (isDone) blocked.push({ orderKey: event.orderKey, number: event.number });
      this.#entries.push({ event, state: isDone ? "done" : "waiting" });
    }
    this.#throughNumber = throughNumber;
    return blocked;
  }

  /** Whether an event waits whose order key is not busy. */
  hasNext(isBusy: (orderKey: number) => boolean): boolean {
    return this.#next(isBusy) !== undefined;
  }

  /** Returns the first such event, which is being sent from then on; null if there is none. */
  take(isBusy: (orderKey: number) => boolean): OutboxEvent | null {
    const entry = this.#next(isBusy);
    if (entry === undefined) return null;
    entry.state = "sending";
    return entry.event;
  }

  /** The event was sent, or waits for another attempt in the spool. */
  finish(number: number): void {
    const entry = this.#entries.find(({ event }) => event.number === number);
    if (entry !== undefined) entry.state = "done";
  }

  /** To be called when the position is stored. */
  stored(position: number): void {
    const first = this.#entries.findIndex(({ event }) => event.number > position);
    this.#entries.splice(0, first === -1 ? this.#entries.length : first);
  }

  /** Finishes the waiting events of an order key, and returns them. */
  block(orderKey: number): BlockedEvent[] {
    const blocked = this.#entries.filter(({ event, state }) => event.orderKey === orderKey && state === "waiting");
    const numbers = blocked.map(({ event }) => event.number);
    for (const number of numbers) this.finish(number);
    return numbers.map((number) => ({ orderKey, number }));
  }

  #next(isBusy: (orderKey: number) => boolean): Entry | undefined {
    return this.#entries.find(({ event, state }) => state === "waiting" && !isBusy(event.orderKey));
  }
}
