/**
 * Checks passwords and codes, with bounds on guessing and on concurrent hashing. Failures are counted for all nodes together, so
 * that a guesser cannot evade the count and a stranger cannot lock others out:
 *
 * - A password at sign-in counts for the email address together with the client's network, and, with short waits only,
 *   for the email address from all networks. From a browser that the user has used before, it counts for that browser.
 * - The password of a signed-in user counts for the user.
 * - A code counts for the user, across all sign-ins and sessions, and for the client's network. At sign-in it counts for the
 *   sign-in too, which ends after a few.
 *
 * A client's network is never a reason to refuse a password: behind a proxy it may be shared by all users.
 */

import { createHmac } from "node:crypto";
import type { Context } from "koa";
import { clientAddress, clientNetwork } from "../../lib/client-address.ts";
import { HOUR_MS, MINUTE_MS } from "../../lib/units.ts";
import { dummyHash, hashPassword, PASSWORD_LENGTH_MAX, verifyPassword } from "../../security/passwords.ts";
import type { AttemptCounter, AttemptPolicy, CounterName } from "../../spool/port/attempt-limiter.ts";
import type { User } from "../../spool/port/people.ts";
import { PageError } from "../web/page-error.ts";
import type { DashboardParts } from "../web/parts.ts";
import { BoundedExecutor, type Caller } from "./bounded-executor.ts";
import { deviceOf } from "./device.ts";
import { userInSession } from "./password-rule.ts";
import { PENDING_MS, type PendingSignIn } from "./pending-sign-in.ts";
import { spendCode } from "./second-factor.ts";
import type { AuthContext } from "./sessions.ts";

const PASSWORD: AttemptPolicy = { freeFailures: 5, waitMs: MINUTE_MS, waitMaxMs: 15 * MINUTE_MS, resetMs: HOUR_MS };
const PASSWORD_ALL_NETWORKS: AttemptPolicy = { freeFailures: 50, waitMs: 1000, waitMaxMs: MINUTE_MS, resetMs: HOUR_MS };
/** Three of a million codes are valid at any time, so the free failures must not return soon. */
const CODE: AttemptPolicy = { freeFailures: 10, waitMs: MINUTE_MS, waitMaxMs: HOUR_MS, resetMs: 24 * HOUR_MS };
const CODE_NETWORK: AttemptPolicy = {
  freeFailures: 50,
  waitMs: MINUTE_MS,
  waitMaxMs: 5 * MINUTE_MS,
  resetMs: HOUR_MS,
};
/** The wait is as long as the sign-in lasts. */
const CODE_SIGN_IN: AttemptPolicy = {
  freeFailures: 5,
  waitMs: PENDING_MS,
  waitMaxMs: PENDING_MS,
  resetMs: 2 * PENDING_MS,
};

/** The messages to one email address are limited where its links are stored, so that no stranger uses up the attempts of its user. */
const RESET_NETWORK: AttemptPolicy = {
  freeFailures: 20,
  waitMs: MINUTE_MS,
  waitMaxMs: 15 * MINUTE_MS,
  resetMs: HOUR_MS,
};
/** An invitation may be a message from a domain of the service's own account. */
const INVITATION: AttemptPolicy = {
  freeFailures: 30,
  waitMs: MINUTE_MS,
  waitMaxMs: 15 * MINUTE_MS,
  resetMs: HOUR_MS,
};

/** Of what comes back from the identity provider; with short waits, because a network may be shared by all users. */
const PROVIDER_NETWORK: AttemptPolicy = { freeFailures: 50, waitMs: 1000, waitMaxMs: MINUTE_MS, resetMs: HOUR_MS };

/** Requests to the identity provider at the same time. */
const PROVIDER_LIMITS = { concurrency: 8, queueMax: 50, callerQueueMax: 10 };
/** One hash at a time, so that it leaves one of two cores free. */
const EXECUTOR_LIMITS = { concurrency: 1, queueMax: 30, callerQueueMax: 8 };
/** Retry-After of a request that found the queue full. */
const BUSY_WAIT_MS = 5000;

export type Rejection =
  | { type: "wrong" }
  | { type: "too_many"; waitMs: number }
  /** Too many other checks are waiting. */
  | { type: "busy"; waitMs: number };

/** Failures are counted before the check. `clearFailures` removes them; call it once no further check is required. */
export type CredentialCheck = { type: "right"; clearFailures: () => Promise<void> } | Rejection;

/** `counted`: the failures that were counted before the check, for `undoFailures`. */
export type SignInCheck = { type: "right"; counted: CounterName[]; user: User } | Rejection;

export class Credentials {
  readonly #parts: DashboardParts;
  /** Of the names of counters: what was typed as an email address may be a password. */
  readonly #nameKey: string;
  readonly #executor = new BoundedExecutor(EXECUTOR_LIMITS);
  readonly #providerExecutor = new BoundedExecutor(PROVIDER_LIMITS);
  /** Compared where the email address has no user, so that both cases take the same time. */
  readonly #dummyHash = dummyHash();

  constructor(parts: DashboardParts) {
    this.#parts = parts;
    this.#nameKey = parts.secrets.token("attempt counters");
  }

  /** Checks a password at sign-in. An unknown email address and a wrong password are indistinguishable. */
  async checkSignIn(ctx: Context, email: string, password: string): Promise<SignInCheck> {
    const named = await this.#parts.people.userNamed(email);
    const user = named === null ? null : userInSession(this.#parts, named, "password");
    const device = user === null ? null : deviceOf(ctx, this.#parts, user);
    const { counters, caller } = this.#signInCounters(email.toLowerCase(), this.#networkOf(ctx), device);
    const check = await this.#compare(counters, caller, { password, hash: user?.passwordHash ?? this.#dummyHash });
    if (check.type !== "right") return check;
    return user === null ? { type: "wrong" } : { type: "right", counted: counters.map(nameOf), user };
  }

  /** Removes the failures that were counted before a password at sign-in was found right. */
  undoFailures(counted: CounterName[]): Promise<void> {
    return this.#parts.attemptLimiter.undoFailure(counted);
  }

  /** Checks the password of a signed-in user. */
  checkPassword({ user }: AuthContext, password: string): Promise<CredentialCheck> {
    const counters = [this.#counter("password of user", PASSWORD, user.id)];
    return this.#compare(counters, knownCaller(user.id), { password, hash: user.passwordHash });
  }

  /** Checks a code of the second factor; a right code is spent. */
  async checkCode(ctx: Context, user: User, code: string): Promise<CredentialCheck> {
    const { attemptLimiter } = this.#parts;
    const ofUser = this.#counter("code of user", CODE, user.id);
    const ofNetwork = this.#counter("code from network", CODE_NETWORK, this.#networkOf(ctx));
    const waitMs = await attemptLimiter.countFailure([ofUser, ofNetwork]);
    if (waitMs > 0) return { type: "too_many", waitMs };
    if (!(await spendCode(this.#parts, user, code))) return { type: "wrong" };
    const clearFailures = async (): Promise<void> => {
      await attemptLimiter.forget([ofUser]);
      await attemptLimiter.undoFailure([ofNetwork]);
    };
    return { type: "right", clearFailures };
  }

  /** Counts an attempt at the code of a sign-in. Returns false if it has had too many. */
  async countCodeOf({ id }: PendingSignIn): Promise<boolean> {
    return (await this.#parts.attemptLimiter.countFailure([this.#counter("code of sign-in", CODE_SIGN_IN, id)])) === 0;
  }

  /** Whether a sign-in may have another attempt at its code. */
  async mayTryCodeOf({ id }: PendingSignIn): Promise<boolean> {
    return (await this.#parts.attemptLimiter.waitMs([this.#counter("code of sign-in", CODE_SIGN_IN, id)])) === 0;
  }

  /** Counts a request for a new password, for the client's network. Returns null if it may be made. */
  countReset(ctx: Context): Promise<Rejection | null> {
    return this.#countRequest([this.#counter("password reset from network", RESET_NETWORK, this.#networkOf(ctx))]);
  }

  /** Counts an invitation, for the account. Returns null if it may be made. */
  countInvitation({ account }: AuthContext): Promise<Rejection | null> {
    return this.#countRequest([this.#counter("invitation to account", INVITATION, account.id)]);
  }

  /** Counts what comes back from the identity provider as a failure of the client's network, until `clearFailures` is called. */
  async checkReturn(ctx: Context): Promise<CredentialCheck> {
    const counters = [this.#counter("return from provider of network", PROVIDER_NETWORK, this.#networkOf(ctx))];
    const rejection = await this.#countRequest(counters);
    return rejection ?? { type: "right", clearFailures: () => this.#parts.attemptLimiter.undoFailure(counters) };
  }

  /** Runs a request to the identity provider. Throws a PageError when too many are waiting. */
  async askProvider<T>(ctx: Context, request: () => Promise<T>): Promise<T> {
    const caller: Caller = { queue: "anonymous", name: this.#networkOf(ctx) };
    const result = await this.#providerExecutor.run(caller, async () => ({ value: await request() }));
    if (result === null) throw new PageError("busy", "Too many sign-ins are in progress. Try again in a few seconds.");
    return result.value;
  }

  async #countRequest(counters: AttemptCounter[]): Promise<Rejection | null> {
    const waitMs = await this.#parts.attemptLimiter.countFailure(counters);
    return waitMs > 0 ? { type: "too_many", waitMs } : null;
  }

  /** Hashes a new password. Throws a PageError when too many hashes are waiting. */
  async hashPassword(password: string, userId: string): Promise<string> {
    const hash = await this.#executor.run(knownCaller(userId), () => hashPassword(password));
    if (hash === null) throw new PageError("busy");
    return hash;
  }

  #networkOf(ctx: Context): string {
    return clientNetwork(clientAddress(ctx.req, this.#parts.trustedProxies));
  }

  #counter(kind: string, policy: AttemptPolicy, name: string): AttemptCounter {
    return { kind, policy, name: createHmac("sha256", this.#nameKey).update(name).digest("base64url") };
  }

  #signInCounters(
    email: string,
    network: string,
    device: string | null,
  ): { counters: AttemptCounter[]; caller: Caller } {
    if (device !== null) {
      return { counters: [this.#counter("password of device", PASSWORD, device)], caller: knownCaller(device) };
    }
    const counters = [
      this.#counter("password of address and network", PASSWORD, `${email} ${network}`),
      this.#counter("password of address", PASSWORD_ALL_NETWORKS, email),
    ];
    return { counters, caller: { queue: "anonymous", name: network } };
  }

  async #compare(
    counters: AttemptCounter[],
    caller: Caller,
    { password, hash }: { password: string; hash: string },
  ): Promise<CredentialCheck> {
    const { attemptLimiter } = this.#parts;
    const waitMs = await attemptLimiter.countFailure(counters);
    if (waitMs > 0) return { type: "too_many", waitMs };
    const truncated = password.slice(0, PASSWORD_LENGTH_MAX);
    const matches = await this.#executor.run(caller, () => verifyPassword(truncated, hash));
    const clearFailures = () => attemptLimiter.undoFailure(counters);
    if (matches === true) return { type: "right", clearFailures };
    if (matches === false) return { type: "wrong" };
    // Nothing was compared, so nothing was guessed.
    await clearFailures();
    return { type: "busy", waitMs: BUSY_WAIT_MS };
  }
}

const knownCaller = (name: string): Caller => ({ queue: "known", name });

const nameOf = ({ kind, name }: AttemptCounter): CounterName => ({ kind, name });

const WRONG = { status: 400, sentence: "This could not be confirmed." };

/** Sets the response's status and Retry-After for a rejection. Returns the sentence to show. */
export function reject(
  ctx: Context,
  rejection: Rejection,
  wrong: { status: number; sentence: string } = WRONG,
): string {
  if (rejection.type === "wrong") {
    ctx.status = wrong.status;
    return wrong.sentence;
  }
  const waitS = Math.max(1, Math.ceil(rejection.waitMs / 1000));
  const wait = waitS < 120 ? `${waitS} seconds` : `${Math.ceil(waitS / 60)} minutes`;
  const error =
    rejection.type === "busy"
      ? new PageError("busy")
      : new PageError("too_many_attempts", `Too many attempts. Wait ${wait}, then try again.`);
  ctx.status = error.status;
  ctx.set("Retry-After", String(waitS));
  return error.message;
}
