/**
 * The part of the facade for accounts, API keys, domains and their signing keys.
 */
import type { Account, NewUser, Registry } from "../port/accounts.ts";
import type { ApiKey, NewKey } from "../port/api-keys.ts";
import type { Domain, DomainChecks, DueDomainsQuery, NewDomain, Rotation } from "../port/domains.ts";
import { DAY_MS } from "./quotas.ts";
import { SpoolClient } from "./spool-client.ts";

/** How long the use of a key may wait to be written. */
const TOUCH_DELAY_MS = 1000;

export abstract class AccountsClient extends SpoolClient implements Registry {
  readonly #keys = this.reader.newCache<ApiKey | null>();
  readonly #domains = this.reader.newCache<Domain | null>();
  /** When each key was used last, until it is written. */
  readonly #touched = new Map<string, number>();
  #touchTimer: NodeJS.Timeout | null = null;

  createAccount(name: string, createdAtMs: number): Promise<Account | "exists"> {
    return this.writer.request("createAccount", { name, createdAtMs });
  }

  accounts() {
    return this.reader.read((reads) => reads.accounts());
  }

  accountNamed(name: string) {
    return this.reader.read((reads) => reads.accountNamed(name));
  }

  setQuota(accountId: string, quotaDaily: number | null): Promise<void> {
    return this.writer.request("setQuota", { accountId, quotaDaily });
  }

  quotaUsed(accountId: string, atMs: number) {
    return this.reader.read((reads) => reads.quotaUsed(accountId, Math.floor(atMs / DAY_MS)));
  }

  createUser(user: NewUser) {
    return this.writer.request("createUser", user);
  }

  hasUsers() {
    return this.reader.read((reads) => reads.hasUsers());
  }

  async createKey(key: NewKey): Promise<ApiKey | "too_many"> {
    const created = await this.writer.request("createKey", key);
    if (created === "too_many") return created;
    const { hash: _, keysMax: __, ...shown } = key;
    return { ...created, ...shown, lastUsedAtMs: null, revokedAtMs: null, messagesSent: 0 };
  }

  keys(accountId: string) {
    return this.reader.read((reads) => reads.keys(accountId));
  }

  activeKey(hash: Buffer) {
    return this.reader.readCached(this.#keys, hash.toString("latin1"), (reads) => reads.activeKey(hash));
  }

  touchKey(keyId: string, atMs: number): void {
    this.#touched.set(keyId, atMs);
    if (this.#touchTimer !== null) return;
    this.#touchTimer = setTimeout(() => this.writeTouches(), TOUCH_DELAY_MS);
    this.#touchTimer.unref();
  }

  /** Writes the uses of keys that wait. */
  protected writeTouches(): void {
    if (this.#touchTimer !== null) clearTimeout(this.#touchTimer);
    this.#touchTimer = null;
    if (this.#touched.size === 0) return;
    const uses = [...this.#touched];
    this.#touched.clear();
    // If the disk refuses it, the time of use is lost until the key is used again.
    this.writer.request("touchKeys", uses).catch(() => {});
  }

  revokeKey(accountId: string, keyId: string, atMs: number) {
    return this.writer.request("revokeKey", { accountId, keyId, atMs });
  }

  async addDomain(domain: NewDomain & { domainsMax: number }): Promise<Domain | "exists" | "too_many"> {
    const outcome = await this.writer.request("addDomain", domain);
    if (outcome !== "added") return outcome;
    const added = await this.domainNamed(domain.accountId, domain.name);
    if (added === null) throw new Error(`the domain ${domain.name} was added but is missing`);
    return added;
  }

  domains(accountId: string) {
    return this.reader.read((reads) => reads.domains(accountId));
  }

  domainNamed(accountId: string, name: string) {
    return this.reader.readCached(this.#domains, `${accountId} ${name}`, (reads) => reads.domainNamed(accountId, name));
  }

  domainsDue(query: DueDomainsQuery) {
    return this.reader.read((reads) => reads.domainsDue(query));
  }

  nextDomainCheckMs() {
    return this.reader.read((reads) => reads.nextDomainCheckMs());
  }

  shortenCheckWaits(nowMs: number, longestMs: number): Promise<number> {
    return this.writer.request("shortenCheckWaits", { nowMs, longestMs });
  }

  saveChecks(domainId: string, checks: DomainChecks, verified: boolean, nextCheckAtMs: number): Promise<void> {
    return this.writer.request("saveChecks", { domainId, checks, verified, nextCheckAtMs });
  }

  removeDomain(accountId: string, name: string, atMs: number): Promise<boolean> {
    return this.writer.request("removeDomain", { accountId, name, atMs });
  }

  checkHistory(accountId: string, name: string, limit: number) {
    return this.reader.read((reads) => reads.checkHistory(accountId, name, limit));
  }

  async signingKey(domainId: string) {
    const key = await this.reader.read((reads) => reads.signingKey(domainId));
    if (key === null) throw new Error(`the spool has no signing key for ${domainId}`);
    return key;
  }

  successorKey(domainId: string) {
    return this.reader.read((reads) => reads.successorKey(domainId));
  }

  startRotation(rotation: Rotation): Promise<void> {
    return this.writer.request("startRotation", rotation);
  }

  rotations() {
    return this.reader.read((reads) => reads.rotations());
  }

  cancelRotation(domainId: string): Promise<boolean> {
    return this.writer.request("cancelRotation", domainId);
  }

  finishRotation(domainId: string, atMs: number): Promise<boolean> {
    return this.writer.request("finishRotation", { domainId, atMs });
  }
}
