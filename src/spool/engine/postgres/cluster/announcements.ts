/**
 * Announces what was committed. Commits of this node are announced to the listeners of this process and, by signals, to the other
 * nodes; those of other nodes are announced to the listeners when a signal arrives. signals.ts sends and receives the signals.
 */
import type { EventListener } from "../../../port/events.ts";
import type { TolerateOutage } from "../connection/outage-tolerance.ts";
import type { ClaimPauses } from "../mail/claim-pauses.ts";
import type { Signals } from "./signals.ts";
import type { Watches } from "./watches.ts";

export interface AnnouncementParts {
  signals: Signals;
  watches: Watches;
  pauses: ClaimPauses;
  tolerateOutage: TolerateOutage;
  /** Other nodes may have left due work. */
  onDue: () => void;
}

export class Announcements {
  readonly #parts: AnnouncementParts;
  readonly #listeners = new Set<EventListener>();

  constructor(parts: AnnouncementParts) {
    this.#parts = parts;
  }

  /** Calls `listener` as Events.onEvents does. Returns a function that removes it. */
  onEvents(listener: EventListener): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** This node has committed events of these accounts. */
  eventsCommitted(accountIds: ReadonlySet<string>): void {
    this.#parts.signals.send("events", accountIds);
    this.#callListeners(accountIds);
  }

  /** This node has changed a webhook endpoint. */
  endpointChanged(): void {
    this.#parts.signals.send("changed", "any");
    this.#callListeners(null);
  }

  /** Work may have become due for another node. */
  workShared(): void {
    this.#parts.signals.send("due", "any");
  }

  /** This node has changed what is paused. */
  pausesChanged(): void {
    this.#parts.pauses.forget();
    this.#parts.signals.send("changed", "any");
  }

  /** Begins to react to what other nodes have committed. */
  heedSignals(): void {
    const { signals, watches, pauses, tolerateOutage, onDue } = this.#parts;
    signals.on("due", onDue);
    signals.on("events", (accountIds) => {
      this.#callListeners(accountIds === "any" ? null : accountIds);
      void tolerateOutage(() => watches.poll());
    });
    signals.on("changed", () => {
      pauses.forget();
      this.#callListeners(null);
    });
  }

  #callListeners(accountIds: ReadonlySet<string> | null): void {
    for (const listener of this.#listeners) listener(accountIds);
  }
}
