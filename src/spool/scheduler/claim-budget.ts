/**
 * The claim budget: how many more jobs a claim may lease for each destination, recipient domain and account, and for an account's
 * first contacts, those of fresh mail apart (fresh-domains.ts).
 */
import type { ClaimRequest } from "../port/mail.ts";
import {
  type AccountQueue,
  type Budget,
  type DestinationGroup,
  type DomainQueue,
  groupNameOf,
} from "./fair-scheduler.ts";

export class ClaimBudget implements Budget {
  #request: ClaimRequest;
  /** By destination and by recipient domain; both apply. */
  #left: Map<string, number>;
  #leftByAccount: Map<string, number>;
  /** Names that are no first contact; null if those are not limited. The last served one is last. */
  readonly #prompt: Set<string> | null;
  readonly #contactsLeft: Map<string, number>;
  readonly #freshLeft: Map<string, number>;

  constructor(request: ClaimRequest) {
    this.#request = request;
    this.#left = new Map(Object.entries(request.allowance));
    this.#leftByAccount = new Map(Object.entries(request.accountAllowance ?? {}));
    this.#prompt = request.firstContacts === undefined ? null : new Set(request.firstContacts.prompt);
    this.#contactsLeft = new Map(Object.entries(request.firstContacts?.accountAllowance ?? {}));
    this.#freshLeft = new Map(Object.entries(request.firstContacts?.fresh?.accountAllowance ?? {}));
  }

  allowsAccount = ({ id }: AccountQueue): boolean => this.#leftOfAccount(id) > 0;

  allowsGroup = ({ name, account }: DestinationGroup): boolean =>
    this.#leftOf(name) > 0 && this.allowsAccount(account) && this.#allowsContact(account, name);

  /** The names of the groups that the account may be served of, if these are fewer than its groups; null for all. */
  onlyOf = ({ id, groups, fresh }: AccountQueue): Iterable<string> | null => {
    if (this.#prompt === null || this.#prompt.size >= groups.size || this.#contactsLeftOf(id) > 0) return null;
    return this.#freshLeftOf(id) > 0 ? [...fresh.names, ...this.#prompt] : this.#prompt;
  };

  allowsQueue = (queue: DomainQueue): boolean => {
    const { account, domain } = queue;
    return this.#leftOf(domain) > 0 && (this.#prompt === null || this.#allowsContact(account, groupNameOf(queue)));
  };

  /** Counts one job leased from this queue. Returns whether it is fresh mail. */
  spend(queue: DomainQueue): boolean {
    for (const name of new Set([groupNameOf(queue), queue.domain])) this.#left.set(name, this.#leftOf(name) - 1);
    const { id } = queue.account;
    this.#leftByAccount.set(id, this.#leftOfAccount(id) - 1);
    const name = groupNameOf(queue);
    const isFresh = this.#allowsFresh(queue.account, name) && queue.destination === null;
    queue.account.fresh.remove(queue.domain);
    if (this.#prompt?.delete(name)) {
      this.#prompt.add(name);
      return false;
    }
    if (isFresh) this.#freshLeft.set(id, this.#freshLeftOf(id) - 1);
    else this.#contactsLeft.set(id, this.#contactsLeftOf(id) - 1);
    return isFresh;
  }

  #allowsContact(account: AccountQueue, name: string): boolean {
    return !this.#isFirstContact(name) || this.#contactsLeftOf(account.id) > 0 || this.#allowsFresh(account, name);
  }

  /** A domain with attempts under way, which has an allowance, is not fresh: its hosts may hang. */
  #allowsFresh({ id, fresh }: AccountQueue, domain: string): boolean {
    const { nowMs, allowance } = this.#request;
    return fresh.has(domain, nowMs) && allowance[domain] === undefined && this.#freshLeftOf(id) > 0;
  }

  #isFirstContact(name: string): boolean {
    return this.#prompt !== null && !this.#prompt.has(name);
  }

  #contactsLeftOf(id: string): number {
    return this.#contactsLeft.get(id) ?? this.#request.firstContacts?.perAccount ?? Number.POSITIVE_INFINITY;
  }

  #freshLeftOf(id: string): number {
    const { firstContacts } = this.#request;
    if (firstContacts === undefined) return Number.POSITIVE_INFINITY;
    return this.#freshLeft.get(id) ?? firstContacts.fresh?.perAccount ?? 0;
  }

  #leftOf(name: string): number {
    return this.#left.get(name) ?? this.#request.perDomain;
  }

  #leftOfAccount(id: string): number {
    return this.#leftByAccount.get(id) ?? this.#request.perAccount ?? Number.POSITIVE_INFINITY;
  }
}
