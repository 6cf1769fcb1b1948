/**
 * The part of the facade for accounts, invitations, API keys, domains with their signing keys and return paths, and the service's secrets.
 */
import { randomBytes } from "node:crypto";

import {
  type Account,
  type AccountRemoval,
  type AccountRemovalResult,
  type NewUser,
  type Registry,
  SETUP_ENTRY,
} from "../port/accounts.ts";
import { type ApiKey, FULL_ACCESS, type KeyChange, type NewKey } from "../port/api-keys.ts";

import type { Domain, DomainChecks, DueDomainsQuery, NewDomain, Rotation } from "../port/domains.ts";
import type { NewInvitation } from "../port/invitations.ts";
import type { LinkUse } from "../port/password-resets.ts";
import type { ReturnPath } from "../port/return-paths.ts";
import { KeyUses } from "../records/key-uses.ts";
import { quotaDay } from "../records/quota-day.ts";
import type { PointReads } from "./reads.ts";
import { SpoolClient } from "./spool-client.ts";

const SEED_BYTES = 16;

type SavedReturnPath = Pick<ReturnPath, "accountId" | "domain" | "checks" | "active">;

export abstract class AccountsClient extends SpoolClient implements Registry {
  readonly #keys = this.reader.newCache<ApiKey | null>();
  readonly #domains = this.reader.newCache<Domain | null>();
  /** By the ids of domains. */
  readonly #returnPaths = this.reader.newCache<{ name: string } | null>();
  readonly #keyUses = new KeyUses((uses) => this.writer.request("touchKeys", uses));

  createAccount(name: string, createdAtMs: number): Promise<Account | "exists"> {
    return this.writer.request("createAccount", { name, createdAtMs });
  }

  accounts() {
    return this.reader.read((reads) => reads.accounts());
  }

  accountNamed(name: string) {
    return this.reader.read((reads) => reads.accountNamed(name));
  }

  deleteAccount(accountId: string, atMs: number) {
    return this.writer.request("deleteAccount", { accountId, atMs });
  }

  restoreAccount(accountId: string): Promise<boolean> {
    return this.writer.request("restoreAccount", accountId);
  }

  removeDeletedAccounts(removal: AccountRemoval): Promise<AccountRemovalResult> {
    return this.writer.request("removeDeletedAccounts", removal);
  }

  createInvitation(invitation: NewInvitation) {
    return this.writer.request("createInvitation", invitation);
  }

  invitations(accountId: string, nowMs: number) {
    return this.reader.read((reads) => reads.invitations(accountId, nowMs));
  }

  invitationOf(hash: Buffer, nowMs: number) {
    return this.reader.read((reads) => reads.invitationOf(hash, nowMs));
  }

  acceptInvitation(use: LinkUse) {
    return this.writer.request("acceptInvitation", use);
  }

  revokeInvitation(accountId: string, invitationId: string): Promise<boolean> {
    return this.writer.request("revokeInvitation", { accountId, invitationId });
  }

  setQuota(accountId: string, quotaDaily: number | null): Promise<void> {
    return this.writer.request("setQuota", { accountId, quotaDaily });
  }

  quotaUsed(accountId: string, atMs: number) {
    return this.reader.read((reads) => reads.quotaUsed(accountId, quotaDay(atMs)));
  }

  createUser(user: NewUser) {
    return this.writer.request("createUser", user);
  }

  createFirstUser(user: Omit<NewUser, "usersMax">) {
    return this.writer.request("createFirstUser", user);
  }

  hasUsers() {
    return this.reader.read((reads) => reads.hasUsers());
  }

  async setupSeed(): Promise<string | null> {
    const stored = await this.#storedSeed();
    if (stored !== null || (await this.hasUsers())) return stored;
    await this.writer.request("addValue", { name: SETUP_ENTRY, text: randomBytes(SEED_BYTES).toString("base64url") });
    return this.#storedSeed();
  }

  #storedSeed(): Promise<string | null> {
    return this.reader.read((reads) => (reads.hasUsers() ? null : reads.readValue(SETUP_ENTRY)));
  }

  async createKey(key: NewKey): Promise<ApiKey | "too_many"> {
    const created = await this.writer.request("createKey", key);
    if (created === "too_many") return created;
    const { hash: _, keysMax: __, test = false, access = FULL_ACCESS, ...shown } = key;
    return {
      ...created,
      ...shown,
      ...access,
      test,
      lastUsedAtMs: null,
      revokedAtMs: null,
      suspended: false,
      messagesSent: 0,
    };
  }

  keys(accountId: string) {
    return this.reader.read((reads) => reads.keys(accountId));
  }

  activeKey(hash: Buffer) {
    return this.reader.readCached(this.#keys, hash.toString("latin1"), (reads) => reads.activeKey(hash));
  }

  changeKey(change: KeyChange) {
    return this.writer.request("changeKey", change);
  }

  touchKey(keyId: string, atMs: number): void {
    this.#keyUses.add(keyId, atMs);
  }

  /** Writes the uses of keys that wait. */
  protected writeTouches(): void {
    void this.#keyUses.writeNow();
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

  finishRotation(domainId: string, selector: string, atMs: number): Promise<boolean> {
    return this.writer.request("finishRotation", { domainId, selector, atMs });
  }

  setReturnPath(accountId: string, name: string, on: boolean, atMs: number): Promise<boolean> {
    return this.writer.request("setReturnPath", { accountId, name, on, atMs });
  }

  returnPaths(accountId: string) {
    return this.reader.read((reads) => reads.returnPaths(accountId));
  }

  returnPathNamed(accountId: string, name: string) {
    return this.reader.read((reads) => reads.returnPathNamed(accountId, name));
  }

  saveReturnPath({ accountId, domain, checks, active }: SavedReturnPath): Promise<void> {
    return this.writer.request("saveReturnPath", { accountId, domain, checks, active });
  }

  async returnPath(domainId: string): Promise<string | null> {
    const read = (reads: PointReads) => reads.activeReturnPath(domainId);
    return (await this.reader.readCached(this.#returnPaths, domainId, read))?.name ?? null;
  }

  returnPathOwner(name: string) {
    return this.reader.read((reads) => reads.returnPathOwner(name));
  }

  readSecret(name: string): Promise<Buffer | null> {
    return this.reader.read((reads) => reads.readSecret(name));
  }

  addSecret(name: string, sealed: Buffer, inPlaceOf: Buffer | null = null): Promise<void> {
    return this.writer.request("addSecret", { name, sealed, inPlaceOf });
  }
}
