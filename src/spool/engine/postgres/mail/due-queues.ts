/**
 * The queues in the database that are known to have due work; a queue is an account's recipient domain. Decides in which order
 * they are claimed from: accounts take turns, and so do the domains of each, so a backlog of one delays none of the others.
 */

/** Beyond this, the queue that has waited longest for its turn is forgotten. due-looks.ts finds it again. */
const QUEUES_MAX = 8192;

export interface QueueName {
  accountId: string;
  domain: string;
}

export interface DueQueue extends QueueName {
  /** Its work that was due before this moment was claimed, or could not be claimed. */
  fromMs: number;
}

type Allows = (queue: QueueName) => boolean;

export class DueQueues {
  /** By account and domain, both in the order of their turns. */
  readonly #accounts = new Map<string, Map<string, DueQueue>>();
  readonly #max: number;
  #size = 0;

  constructor(max = QUEUES_MAX) {
    this.#max = max;
  }

  /** Adds a queue with work that was due at `fromMs`; it may be known already. */
  add({ accountId, domain, fromMs }: DueQueue): void {
    const queues = this.#accounts.get(accountId) ?? new Map<string, DueQueue>();
    const known = queues.get(domain);
    if (known !== undefined) {
      known.fromMs = Math.min(known.fromMs, fromMs);
      return;
    }
    if (this.#size === this.#max) this.#forgetOne(queues);
    queues.set(domain, { accountId, domain, fromMs });
    this.#accounts.set(accountId, queues);
    this.#size += 1;
  }

  remove({ accountId, domain }: QueueName): void {
    const queues = this.#accounts.get(accountId);
    if (!queues?.delete(domain)) return;
    this.#size -= 1;
    if (queues.size === 0) this.#accounts.delete(accountId);
  }

  hasAllowed(allows: Allows): boolean {
    for (const queues of this.#accounts.values()) for (const queue of queues.values()) if (allows(queue)) return true;
    return false;
  }

  /** The next queues of those allowed, at most `limit`: one of each account, then the second of each. This was their turn. */
  next(limit: number, allows: Allows): DueQueue[] {
    const chosen: DueQueue[] = [];
    let turns = [...this.#accounts.values()].map((queues) => allowedOf(queues, allows));
    while (turns.length > 0 && chosen.length < limit) {
      turns = turns.filter((turn) => {
        if (chosen.length === limit) return false;
        const { value } = turn.next();
        if (value !== undefined) chosen.push(value);
        return value !== undefined;
      });
    }
    for (const queue of chosen) this.#moveLast(queue);
    return chosen;
  }

  #moveLast(queue: DueQueue): void {
    const { accountId, domain } = queue;
    const queues = this.#accounts.get(accountId);
    if (queues === undefined) return;
    queues.delete(domain);
    queues.set(domain, queue);
    this.#accounts.delete(accountId);
    this.#accounts.set(accountId, queues);
  }

  /** One of these, so that an account with many domains displaces its own; of another account if there is none. */
  #forgetOne(own: ReadonlyMap<string, DueQueue>): void {
    const [others] = this.#accounts.values();
    const [first] = (own.size > 0 ? own : others)?.values() ?? [];
    if (first !== undefined) this.remove(first);
  }
}

function* allowedOf(queues: ReadonlyMap<string, DueQueue>, allows: Allows): Generator<DueQueue, undefined> {
  for (const queue of queues.values()) if (allows(queue)) yield queue;
}
