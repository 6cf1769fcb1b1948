/**
 * Whose turn it is. A lane is one account's waiting mail for one recipient domain; memory holds for each lane only
 * when its next recipient falls due, the recipients themselves stay in the recipients_waiting index.
 * Accounts take turns, and within an account its lanes do, so that no backlog holds up another's mail.
 */

/** A lane whose turn it is. */
export interface Turn {
  accountId: string;
  domain: string;
}

export class Lanes {
  /** account → domain → when the next unleased recipient falls due. Map order is turn order: who was served goes last. */
  #accounts = new Map<string, Map<string, number>>();

  /** A recipient of this lane is due at `dueMs`. */
  due(accountId: string, domain: string, dueMs: number): void {
    let lanes = this.#accounts.get(accountId);
    if (lanes === undefined) {
      lanes = new Map();
      this.#accounts.set(accountId, lanes);
    }
    const known = lanes.get(domain);
    if (known === undefined || dueMs < known) lanes.set(domain, dueMs);
  }

  /** The lane has been served up to now: its next recipient is due at `dueMs`, or there is none. */
  served(turn: Turn, dueMs: number | null): void {
    const lanes = this.#accounts.get(turn.accountId);
    if (lanes === undefined) return;
    lanes.delete(turn.domain);
    if (dueMs !== null) lanes.set(turn.domain, dueMs);
    this.#accounts.delete(turn.accountId);
    if (lanes.size > 0) this.#accounts.set(turn.accountId, lanes);
  }

  /** One due lane for each account, in turn order, among the domains that `open` admits. */
  turns(nowMs: number, open: (domain: string) => boolean): Turn[] {
    const turns: Turn[] = [];
    for (const [accountId, lanes] of this.#accounts) {
      for (const [domain, dueMs] of lanes) {
        if (dueMs <= nowMs && open(domain)) {
          turns.push({ accountId, domain });
          break;
        }
      }
    }
    return turns;
  }

  /** The earliest due time among the lanes that `open` admits. */
  nextDueMs(open: (domain: string) => boolean): number | null {
    let next: number | null = null;
    for (const lanes of this.#accounts.values()) {
      for (const [domain, dueMs] of lanes) {
        if ((next === null || dueMs < next) && open(domain)) next = dueMs;
      }
    }
    return next;
  }

  clear(): void {
    this.#accounts.clear();
  }
}
