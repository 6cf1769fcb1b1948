/** Attempts by account, and in total. */
export class AccountCounts {
  readonly counts = new Map<string, number>();
  total = 0;

  of(accountId: string | null): number {
    return accountId === null ? 0 : (this.counts.get(accountId) ?? 0);
  }

  add(accountId: string, change: 1 | -1): void {
    const count = this.of(accountId) + change;
    this.total += change;
    if (count === 0) this.counts.delete(accountId);
    else this.counts.set(accountId, count);
  }
}
