/**
 * What is left of a claim's limits while it is being filled: of each destination, recipient domain and account.
 */
import type { ClaimRequest } from "../port/mail.ts";
import { type Account, type Admission, type Group, groupNameOf, type Lane } from "./fair-scheduler.ts";

export class ClaimBudget implements Admission {
  #request: ClaimRequest;
  /** By destination and by recipient domain; both hold. */
  #left: Map<string, number>;
  #accounts: Map<string, number>;

  constructor(request: ClaimRequest) {
    this.#request = request;
    this.#left = new Map(Object.entries(request.allowance));
    this.#accounts = new Map(Object.entries(request.accountAllowance ?? {}));
  }

  admitsAccount = ({ id }: Account): boolean => this.#ofAccount(id) > 0;

  admitsGroup = ({ name, account }: Group): boolean => this.#of(name) > 0 && this.admitsAccount(account);

  admitsLane = ({ domain }: Lane): boolean => this.#of(domain) > 0;

  /** One more for this lane. */
  take(lane: Lane): void {
    for (const name of new Set([groupNameOf(lane), lane.domain])) this.#left.set(name, this.#of(name) - 1);
    this.#accounts.set(lane.account.id, this.#ofAccount(lane.account.id) - 1);
  }

  #of(name: string): number {
    return this.#left.get(name) ?? this.#request.perDomain;
  }

  #ofAccount(id: string): number {
    return this.#accounts.get(id) ?? this.#request.perAccount ?? Number.POSITIVE_INFINITY;
  }
}
