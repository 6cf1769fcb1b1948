/**
 * Persons' requests for probes of closed destinations: which one allows a probe now, and which job serves it. window-state.ts
 * decides how many there may be.
 */
import type { ProbeRequest } from "../../spool/port/probe-requests.ts";
import type { ThrottledJob } from "./probe-rotation.ts";
import type { Windows } from "./windows.ts";

/**
 * Jobs of other messages that are passed over before one of them serves a request for a probe with a certain message or recipient
 * domain: that one may wait for something else than its destination.
 */
const PASSED_OVER_MAX = 8;

interface Asked extends ProbeRequest {
  passedOver: number;
  /** The last of them: a job that is looked at again counts once. */
  lastPassedOver: string | null;
}

export class AskedProbes {
  readonly #windows: Pick<Windows, "mayAsk">;
  readonly #destinationOf: (domain: string) => string | undefined;
  #asked: Asked[] = [];

  /** `destinationOf` knows the last destination of a recipient domain. */
  constructor(windows: Pick<Windows, "mayAsk">, destinationOf: (domain: string) => string | undefined) {
    this.#windows = windows;
    this.#destinationOf = destinationOf;
  }

  get isEmpty(): boolean {
    return this.#asked.length === 0;
  }

  /** Takes the requests in effect. Returns whether one of them allows a probe now. */
  take(requests: readonly ProbeRequest[], nowMs: number): boolean {
    const known = new Map(this.#asked.map((asked) => [asked.id, asked]));
    this.#asked = requests.map(
      (request) => known.get(request.id) ?? { ...request, passedOver: 0, lastPassedOver: null },
    );
    return this.#asked.some(({ domain }) => {
      const destination = this.#destinationOf(domain);
      return destination !== undefined && this.at(destination, nowMs) !== null;
    });
  }

  /** The request that allows a probe of the destination now; null if there is none. */
  at(destination: string, nowMs: number): Asked | null {
    const allows = ({ id, domain }: Asked): boolean =>
      this.#destinationOf(domain) === destination && this.#windows.mayAsk(destination, id, nowMs);
    return this.#asked.find(allows) ?? null;
  }

  /** The request that the job serves as a probe; null if there is none, or it is left to another job for the moment. */
  servedBy({ messageId, domain }: ThrottledJob, destination: string, nowMs: number): ProbeRequest | null {
    const asked = this.at(destination, nowMs);
    if (asked === null) return null;
    if (asked.domain === domain && (asked.messageId ?? messageId) === messageId) return asked;
    if (asked.lastPassedOver !== messageId) asked.passedOver += 1;
    asked.lastPassedOver = messageId;
    return asked.passedOver > PASSED_OVER_MAX ? asked : null;
  }
}
