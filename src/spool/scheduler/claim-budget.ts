/**
 * The claim budget: how many more jobs a claim may lease for each destination, recipient domain and account.
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

  constructor(request: ClaimRequest) {
    this.#request = request;
    this.#left = new Map(Object.entries(request.allowance));
    this.#leftByAccount = new Map(Object.entries(request.accountAllowance ?? {}));
  }

  allowsAccount = ({ id }: AccountQueue): boolean => this.#leftOfAccount(id) > 0;

  allowsGroup = ({ name, account }: DestinationGroup): boolean => this.#leftOf(name) > 0 && this.allowsAccount(account);

  allowsQueue = ({ domain }: DomainQueue): boolean => this.#leftOf(domain) > 0;

  /** Counts one job leased from this queue. */
  spend(queue: DomainQueue): void {
    for (const name of new Set([groupNameOf(queue), queue.domain])) this.#left.set(name, this.#leftOf(name) - 1);
    this.#leftByAccount.set(queue.account.id, this.#leftOfAccount(queue.account.id) - 1);
  }

  #leftOf(name: string): number {
    return this.#left.get(name) ?? this.#request.perDomain;
  }

  #leftOfAccount(id: string): number {
    return this.#leftByAccount.get(id) ?? this.#request.perAccount ?? Number.POSITIVE_INFINITY;
  }
}
