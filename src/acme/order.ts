/**
 * Orders a certificate (RFC 8555 §7.4): one for all names, so that every listener has the same, and clients without SNI, as many
 * mail servers are, get one for the name that they know. An order with a name that cannot be validated fails as a whole; the names
 * at fault are returned, and the caller decides about another order. Nothing is stored here.
 */
import { type Authorization, Client, crypto, type Order } from "acme-client";
import type { Clock } from "../lib/clock.ts";
import { type CertificatePair, checkPair } from "../security/certificate-pair.ts";
import { AcmeError, type Connection, problemOf, waitOf, withConnection } from "./transport.ts";

export interface Account {
  /** PEM. */
  key: string;
  /** Null before the account is registered. */
  url: string | null;
  email: string;
  directory: string;
}

export interface Challenge {
  name: string;
  token: string;
  keyAuthorization: string;
}

export interface OrderParts extends Connection {
  clock: Clock;
  account: Account;
  type: "http-01" | "tls-alpn-01";
  /** Resolves when the authority finds the answers to these challenges. */
  publish: (challenges: Challenge[]) => Promise<void>;
  /** Called with the account's URL when it is new or has changed. */
  registered: (url: string) => Promise<void>;
}

export type Ordered =
  /** `fromMs`: where the certificate is not valid yet by this server's clock. */
  | { type: "obtained"; pair: CertificatePair; untilMs: number; fromMs: number | null }
  /** Each name that the authority could not validate, with the reason. */
  | { type: "refused"; refused: Map<string, string> };

/** Between two looks at an order, unless the authority names another wait. */
const POLL_MS = 2000;
const POLL_MAX_MS = 60_000;
/** Requests with another nonce, where the authority has rejected one: pebble rejects as many as it is told to. */
const NONCES_MAX = 20;
/** An order that is not done by then fails. */
const ORDER_MS = 300_000;

/** The authority has no such account, or takes no orders of it because it was deactivated or revoked (RFC 8555 §7.3.6). */
export class RefusedAccountError extends AcmeError {
  override name = "RefusedAccountError";
}

const OF_ACCOUNT: readonly (string | null)[] = ["accountDoesNotExist", "unauthorized"];

/** Rejects with an AcmeError, or with an error of what was passed in. */
export function orderCertificate(parts: OrderParts, names: readonly string[]): Promise<Ordered> {
  return withConnection(parts, () => new OrderRun(parts, names).run());
}

/** A new key of an account, PEM. */
export const newAccountKey = async (): Promise<string> => (await crypto.createPrivateEcdsaKey()).toString();

/** What the types of the library leave out. */
interface WithNonces {
  http: { maxBadNonceRetries: number };
}

class OrderRun {
  readonly #parts: OrderParts;
  readonly #names: readonly string[];
  readonly #client: Client;
  readonly #endMs: number;

  constructor(parts: OrderParts, names: readonly string[]) {
    const { key: accountKey, url, directory: directoryUrl } = parts.account;
    this.#parts = parts;
    this.#names = names;
    this.#client = new Client({ directoryUrl, accountKey, ...(url === null ? {} : { accountUrl: url }) });
    // A request with a rejected nonce is repeated five times otherwise.
    (this.#client as unknown as WithNonces).http.maxBadNonceRetries = NONCES_MAX;
    this.#endMs = parts.clock.monotonicMs() + ORDER_MS;
  }

  async run(): Promise<Ordered> {
    if (this.#parts.account.url === null) await this.#register();
    const order = await this.#newOrder();
    if (order instanceof Map) return { type: "refused", refused: order };
    const refused = await this.#validate(order);
    if (refused.size > 0) return { type: "refused", refused };
    return this.#download(order);
  }

  async #register(): Promise<void> {
    const { account, registered } = this.#parts;
    await this.#client.createAccount({ termsOfServiceAgreed: true, contact: [`mailto:${account.email}`] });
    await registered(this.#client.getAccountUrl());
  }

  /** Returns the names that the authority issues no certificates for, if it names them. */
  async #newOrder(): Promise<Order | Map<string, string>> {
    const identifiers = this.#names.map((value) => ({ type: "dns", value }));
    try {
      return await this.#client.createOrder({ identifiers });
    } catch (error) {
      const refused = error instanceof AcmeError ? this.#ownNames(error.refused) : new Map();
      if (refused.size > 0) return refused;
      // The message of one name is about that name.
      if (error instanceof AcmeError && error.type === "rejectedIdentifier" && this.#names.length === 1)
        return new Map([[this.#names[0] ?? "", error.message]]);
      // No name has been validated yet, so that only the account can be at fault.
      if (error instanceof AcmeError && OF_ACCOUNT.includes(error.type))
        throw new RefusedAccountError(error.message, error);
      throw error;
    }
  }

  /** Answers the challenges of an order. Returns the names that could not be validated. */
  async #validate(order: Order): Promise<Map<string, string>> {
    const authorizations = await this.#authorizations(order);
    const pending = authorizations.filter(({ status }) => status === "pending");
    const chosen = pending.map((authorization) => this.#challengeOf(authorization));
    if (chosen.length > 0) {
      const answers = chosen.map(async ({ name, challenge }) => ({
        name,
        token: challenge.token,
        keyAuthorization: await this.#client.getChallengeKeyAuthorization(challenge),
      }));
      await this.#parts.publish(await Promise.all(answers));
    }
    for (const { challenge } of chosen) await this.#client.completeChallenge(challenge);
    const ended = await this.#poll(
      () => this.#authorizations(order),
      (all) => all.every(({ status }) => status !== "pending"),
      "the validation of the names",
    );
    return new Map(
      ended
        .filter(({ status }) => status !== "valid")
        .map((authorization) => [authorization.identifier.value, reasonOf(authorization)]),
    );
  }

  async #authorizations(order: Order): Promise<Authorization[]> {
    if (!Array.isArray(order.authorizations) || order.authorizations.length > this.#names.length)
      throw new AcmeError("the authority has sent an order with authorizations that are not of its names");
    const all = await this.#client.getAuthorizations(order);
    for (const { identifier } of all) {
      if (!this.#names.includes(identifier?.value))
        throw new AcmeError("the authority has sent an authorization for another name");
    }
    return all;
  }

  #challengeOf({ identifier: { value: name }, challenges }: Authorization) {
    const { type } = this.#parts;
    const challenge = (Array.isArray(challenges) ? challenges : []).find((each) => each.type === type);
    if (challenge === undefined) throw new AcmeError(`the authority offers no ${type} challenge for ${name}`);
    if (typeof challenge.token !== "string" || !TOKEN.test(challenge.token))
      throw new AcmeError(`the authority has sent a challenge for ${name} without a token`);
    return { name, challenge };
  }

  async #download(order: Order): Promise<Ordered> {
    const key = (await crypto.createPrivateEcdsaKey()).toString();
    const [, csr] = await crypto.createCsr({ altNames: [...this.#names] }, key);
    await this.#poll(
      () => this.#client.getOrder(order),
      ({ status }) => status !== "pending",
      "the order",
    );
    const finalized = await this.#client.finalizeOrder(order, csr);
    const done =
      finalized.status === "valid"
        ? finalized
        : await this.#poll(
            () => this.#client.getOrder(order),
            ({ status }) => status !== "processing" && status !== "ready",
            "the certificate",
          );
    if (done.status !== "valid") throw new AcmeError(`the order has become ${done.status}: ${detailOf(done)}`);
    const cert = await this.#client.getCertificate(done);
    return this.#checked({ cert, key });
  }

  /** The authority has just issued it: one that is not valid yet shows that this server's clock is behind. */
  #checked(pair: CertificatePair): Ordered {
    const status = checkPair(pair, this.#parts.clock.now(), "the certificate");
    if (status.type === "unusable" || status.type === "expired") {
      const fault = status.type === "unusable" ? status.fault : "it has expired, by the clock of this server";
      throw new AcmeError(`the authority has sent a certificate that cannot be used: ${fault}`);
    }
    const { certificate, untilMs } = status;
    const absent = this.#names.filter((name) => certificate.checkHost(name) === undefined);
    if (absent.length > 0) throw new AcmeError(`the authority has sent a certificate without ${absent.join(", ")}`);
    return { type: "obtained", pair, untilMs, fromMs: status.type === "not_yet_valid" ? status.fromMs : null };
  }

  #ownNames(refused: ReadonlyMap<string, string>): Map<string, string> {
    return new Map([...refused].filter(([name]) => this.#names.includes(name)));
  }

  /** Looks until `isDone`, and returns what was found. */
  async #poll<T extends object>(look: () => Promise<T>, isDone: (found: T) => boolean, what: string): Promise<T> {
    for (;;) {
      const found = await look();
      if (isDone(found)) return found;
      const objects = Array.isArray(found) ? found : [found];
      const waitMs = Math.max(POLL_MS, ...objects.map((each) => waitOf(each) ?? 0));
      await this.#sleep(Math.min(waitMs, POLL_MAX_MS));
      if (this.#parts.clock.monotonicMs() > this.#endMs)
        throw new AcmeError(`the authority has not ended ${what} within ${ORDER_MS / 60_000} minutes`);
    }
  }

  #sleep(ms: number): Promise<void> {
    const { clock, signal } = this.#parts;
    return new Promise((resolve, reject) => {
      const abort = (): void => {
        cancel();
        reject(new AcmeError("the order was ended by a stop"));
      };
      const cancel = clock.after(ms, () => {
        signal.removeEventListener("abort", abort);
        resolve();
      });
      if (signal.aborted) abort();
      else signal.addEventListener("abort", abort, { once: true });
    });
  }
}

/** RFC 8555 §8.1: base64url. */
export const TOKEN = /^[\w-]{1,128}$/;

function reasonOf({ challenges, status }: Authorization): string {
  const failed = (Array.isArray(challenges) ? challenges : []).find((each) => "error" in each);
  return problemOf((failed as { error?: unknown } | undefined)?.error).detail ?? `the authorization is ${status}`;
}

const detailOf = (order: Order): string => problemOf((order as { error?: unknown }).error).detail ?? "no reason";
