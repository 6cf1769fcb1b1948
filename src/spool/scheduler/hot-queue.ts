/**
 * Messages just accepted, as their first claim hands them out: most are claimed within milliseconds, and need not be read
 * back from the file. Bounded; what is not here is read.
 */
import type { DeliveryJob } from "../port/mail.ts";

/** Works, and places that they came to. */
const MOST = 1000;

interface Newcomer {
  seq: number;
  /** Null once it is taken or dropped: a Map's dropped tables keep what they held for a while (see passing-map.ts). */
  job: DeliveryJob | null;
}

/** What came to one lane in one millisecond. */
export interface Place {
  accountId: string;
  domain: string;
  acceptedMs: number;
}

export class HotQueue {
  #works = new Map<string, Newcomer>();
  /** The newest last. A place that is here is here as a whole. */
  #places = new Map<string, Newcomer[]>();

  add(seq: number, job: DeliveryJob): void {
    const newcomer = { seq, job };
    this.#works.set(workName(seq, job.domain), newcomer);
    const { accountId, domain, createdAtMs: acceptedMs } = job;
    const place = placeName({ accountId, domain, acceptedMs });
    const known = this.#places.get(place);
    if (known === undefined) this.#places.set(place, [newcomer]);
    else known.push(newcomer);
    if (this.#works.size > MOST || this.#places.size > MOST) this.#dropOldest();
  }

  /** For its first attempt: afterwards it is in the file alone. */
  take(seq: number, domain: string): DeliveryJob | null {
    const name = workName(seq, domain);
    const newcomer = this.#works.get(name);
    if (newcomer === undefined) return null;
    this.#works.delete(name);
    const { job } = newcomer;
    newcomer.job = null;
    return job;
  }

  /** The newest of a place that has not been taken; `none` is left, or only the file tells. */
  newest(place: Place): number | "none" | "unknown" {
    const hotQueue = this.#places.get(placeName(place));
    if (hotQueue === undefined) return "unknown";
    for (let last = hotQueue.at(-1); last !== undefined; last = hotQueue.at(-1)) {
      if (last.job !== null) return last.seq;
      hotQueue.pop();
    }
    this.forget(place);
    return "none";
  }

  /** Something else is there now. */
  forget(place: Place): void {
    this.#drop(placeName(place));
  }

  /** The file has been changed by others than acceptances and attempts. */
  clear(): void {
    this.#works.clear();
    this.#places.clear();
  }

  #dropOldest(): void {
    const [oldest] = this.#places.keys();
    if (oldest !== undefined) this.#drop(oldest);
  }

  #drop(place: string): void {
    for (const newcomer of this.#places.get(place) ?? []) {
      if (newcomer.job !== null) this.#works.delete(workName(newcomer.seq, newcomer.job.domain));
      newcomer.job = null;
    }
    this.#places.delete(place);
  }
}

const workName = (seq: number, domain: string): string => `${seq} ${domain}`;

const placeName = ({ accountId, domain, acceptedMs }: Place): string => `${acceptedMs} ${domain} ${accountId}`;
