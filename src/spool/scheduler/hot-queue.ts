/**
 * The hot queue: jobs of messages just accepted, ready for their first claim. Most are claimed within milliseconds and need
 * not be read back from the store. It is a bounded cache: the store is read for what is not in it.
 */
import type { DueJob } from "../port/mail.ts";
import type { QueueKey } from "./fair-scheduler.ts";

/** The most jobs, and the most arrivals. */
const ENTRIES_MAX = 1000;

interface HotJob {
  seq: number;
  /** Null once taken or dropped: the tables that a Map has outgrown keep its values alive for a while. */
  job: DueJob | null;
}

/** The messages that one account accepted for one recipient domain in one millisecond. */
export interface ArrivalKey extends QueueKey {
  acceptedMs: number;
}

export class HotQueue {
  #jobs = new Map<string, HotJob>();
  /** The newest last. An arrival is here as a whole or not at all. */
  #arrivals = new Map<string, HotJob[]>();

  add(seq: number, job: DueJob): void {
    const hot = { seq, job };
    this.#jobs.set(jobName(seq, job.domain), hot);
    const { accountId, domain, createdAtMs: acceptedMs } = job;
    const name = arrivalName({ accountId, domain, acceptedMs });
    const known = this.#arrivals.get(name);
    if (known === undefined) this.#arrivals.set(name, [hot]);
    else known.push(hot);
    if (this.#jobs.size > ENTRIES_MAX || this.#arrivals.size > ENTRIES_MAX) this.#dropOldest();
  }

  /** Removes and returns the message's job at this domain; null if it is not here. */
  take(seq: number, domain: string): DueJob | null {
    const name = jobName(seq, domain);
    const hot = this.#jobs.get(name);
    if (hot === undefined) return null;
    this.#jobs.delete(name);
    const { job } = hot;
    hot.job = null;
    return job;
  }

  /** Returns the newest message left of an arrival; `none` if all were taken, `unknown` if only the store can answer. */
  newest(arrival: ArrivalKey): number | "none" | "unknown" {
    const hotJobs = this.#arrivals.get(arrivalName(arrival));
    if (hotJobs === undefined) return "unknown";
    for (let last = hotJobs.at(-1); last !== undefined; last = hotJobs.at(-1)) {
      if (last.job !== null) return last.seq;
      hotJobs.pop();
    }
    this.drop(arrival);
    return "none";
  }

  /** Drops an arrival that has changed in the store. */
  drop(arrival: ArrivalKey): void {
    this.#drop(arrivalName(arrival));
  }

  /** Drops everything: the store was changed by something other than an acceptance or an attempt. */
  clear(): void {
    this.#jobs.clear();
    this.#arrivals.clear();
  }

  #dropOldest(): void {
    const [oldest] = this.#arrivals.keys();
    if (oldest !== undefined) this.#drop(oldest);
  }

  #drop(name: string): void {
    for (const hot of this.#arrivals.get(name) ?? []) {
      if (hot.job !== null) this.#jobs.delete(jobName(hot.seq, hot.job.domain));
      hot.job = null;
    }
    this.#arrivals.delete(name);
  }
}

const jobName = (seq: number, domain: string): string => `${seq} ${domain}`;

const arrivalName = ({ accountId, domain, acceptedMs }: ArrivalKey): string => `${acceptedMs} ${domain} ${accountId}`;
