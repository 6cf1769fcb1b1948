/**
 * Which destinations are known to answer promptly, by their recent attempts. Known in memory of each node: after a restart, a
 * destination is one of which nothing is known. attempt-lanes.ts decides what that means.
 */
import { boundedMap } from "../../lib/bounded-map.ts";
import { isTestRoute } from "../../message/test-route.ts";

/**
 * Prompt attempts that show that a destination answers promptly. Fewer would cost a host nothing that means to hang afterwards; a
 * first one shows that it is not one of those that always hang.
 */
const PROMPT_MIN = 5;
const ALIVE_MIN = 1;

/** Counted at most. Each attempt that is late halves the count, so that a destination that begins to hang is soon not prompt. */
const COUNT_MAX = 20;

/** Destinations remembered, and recipient domains that go to those that were prompt before. */
const DESTINATIONS_MAX = 10_000;
const DOMAINS_MAX = 500;

export class Promptness {
  readonly #counts = boundedMap<number>(DESTINATIONS_MAX);
  /** The destinations of recipient domains, the last used one first. */
  readonly #domains = boundedMap<string>(DOMAINS_MAX);

  /** Whether the destination is known to answer promptly. The sink for test messages does. */
  isPrompt(destination: string): boolean {
    return this.#has(destination, PROMPT_MIN);
  }

  /** Whether mail for the recipient domain last went to a destination that is known to answer promptly. */
  goesToPrompt(domain: string): boolean {
    const destination = isTestRoute(domain) ? domain : this.#domains.peek(domain);
    return destination !== undefined && this.isPrompt(destination);
  }

  /** Mail for the domain goes to the destination now. */
  note(domain: string, destination: string): void {
    if (this.#has(destination, ALIVE_MIN)) this.#domains.set(domain, destination);
  }

  /** An attempt at the destination was accepted soon. */
  addPrompt(destination: string): void {
    this.#counts.set(destination, Math.min(COUNT_MAX, (this.#counts.peek(destination) ?? 0) + 1));
  }

  /** An attempt at the destination waits, or was refused for load. */
  addLate(destination: string): void {
    const count = this.#counts.peek(destination);
    if (count !== undefined) this.#counts.set(destination, Math.floor(count / 2));
  }

  /** The domains that go to prompt destinations, and these, the last used one last; `alive`: to any that were prompt once. */
  names({ alive }: { alive: boolean }): string[] {
    const least = alive ? ALIVE_MIN : PROMPT_MIN;
    const names = new Set<string>();
    for (const [domain, destination] of [...this.#domains.entries()].reverse()) {
      if (this.#has(destination, least)) names.add(domain).add(destination);
    }
    return [...names];
  }

  #has(destination: string, least: number): boolean {
    return (this.#counts.peek(destination) ?? 0) >= least || isTestRoute(destination);
  }
}
