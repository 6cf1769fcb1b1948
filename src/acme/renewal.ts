/**
 * Obtains the certificate and renews it, in the process that has the duty. renewal-plan.ts decides when; order.ts speaks with the
 * authority. A failure leaves the present certificate as it is. It is stored before an attempt begins, so that a service that is
 * started again and again makes no more attempts than one that runs.
 */
import type { Clock } from "../lib/clock.ts";
import { errorText } from "../lib/error-text.ts";
import type { Logger } from "../lib/log.ts";
import { DAY_MS, MINUTE_MS } from "../lib/units.ts";
import type { CertificateState } from "../spool/port/certificate-state.ts";
import { readCertificateState, writeCertificateState } from "../spool/port/certificate-state.ts";
import type { Tenure } from "../spool/port/duties.ts";
import type { KeyValueStore } from "../spool/port/key-value.ts";
import { FOUND_AFTER_MS, storeChallenges } from "./challenges.ts";
import { type Account, newAccountKey, type Ordered, orderCertificate, RefusedAccountError } from "./order.ts";
import { failureAfter, type Plan, planOrder } from "./renewal-plan.ts";
import {
  readAccount,
  readStoredCertificate,
  type SealedParts,
  storeAccount,
  storeCertificate,
} from "./sealed-entries.ts";
import { AcmeError, type Connection } from "./transport.ts";

export interface RenewalSettings {
  email: string;
  directory: string;
  names: readonly string[];
  /** Null: challenges by TLS-ALPN-01. */
  httpPort: number | null;
}

export interface RenewalParts extends SealedParts, Pick<Connection, "ca"> {
  settings: RenewalSettings;
  store: SealedParts["store"] & Pick<KeyValueStore, "readValue" | "writeValue">;
  clock: Clock;
  log: Pick<Logger, "info" | "warn">;
  /** Of the duty: nothing is stored once another process may have it. */
  tenure: Tenure;
  /** In [0, 1). */
  random: () => number;
}

const LOOK_EVERY_MS = MINUTE_MS;
/** Of one attempt: each leaves out a name at least. */
const ORDERS_MAX = 3;
/** An authority may also refuse an account that is sound, and a CAA record with accounturi allows only one account. */
const REPLACE_ACCOUNT_EVERY_MS = DAY_MS;

export class CertificateRenewal {
  readonly #parts: RenewalParts;
  readonly #end = new AbortController();
  #looking: Promise<void> = Promise.resolve();
  #cancel = (): void => {};

  constructor(parts: RenewalParts) {
    this.#parts = { ...parts, store: storeWhile(parts.tenure, parts.store) };
  }

  /** Looks at once, and then every minute. */
  start(): void {
    this.#looking = this.look().then(() => {
      if (!this.#end.signal.aborted) this.#cancel = this.#parts.clock.after(LOOK_EVERY_MS, () => this.start());
    });
  }

  /** Ends an attempt under way. */
  async stop(): Promise<void> {
    this.#end.abort();
    this.#cancel();
    await this.#looking;
  }

  /** Makes the attempt that is due, if there is one. Never rejects. */
  async look(): Promise<void> {
    const { log } = this.#parts;
    try {
      await this.#lookNow();
    } catch (error) {
      log.warn({ error: errorText(error) }, "the certificate could not be examined");
    }
  }

  async #lookNow(): Promise<void> {
    const { store, clock, random, settings } = this.#parts;
    const certificate = await readStoredCertificate(this.#parts);
    const state = await readCertificateState(store);
    const { directory, names: wanted } = settings;
    const plan = planOrder({ certificate, state, wanted, directory, nowMs: clock.now() });
    if (plan.names.length === 0) return;
    const detail = "the attempt ended without a result";
    const unknown = { detail, atMs: clock.now(), retryAfterMs: null, chance: random() };
    await writeCertificateState(store, { ...state, order: failureAfter(state.order, unknown) });
    const after = await this.#attempt(plan, state);
    // What was written before stays: a service that is started again and again makes no more attempts.
    if (after === null) return;
    const { accountReplacedAtMs } = await readCertificateState(store);
    await writeCertificateState(store, accountReplacedAtMs === undefined ? after : { ...after, accountReplacedAtMs });
  }

  /** Returns the state after it; null if it was ended by a stop. */
  async #attempt({ names, required }: Plan, before: CertificateState): Promise<CertificateState | null> {
    let state: CertificateState = { ...before, refused: this.#wantedOf(before.refused) };
    let rest = names;
    try {
      const account = await this.#account();
      for (let i = 0; i < ORDERS_MAX && rest.length > 0; i += 1) {
        const ordered = await this.#order(account, rest);
        if (ordered.type === "obtained") return await this.#obtained(ordered, rest, state);
        state = this.#refuse(state, ordered.refused);
        if (required.some((name) => ordered.refused.has(name))) return { ...state, order: null };
        rest = rest.filter((name) => !ordered.refused.has(name));
        // The present certificate may have all others.
        const certificate = await readStoredCertificate(this.#parts);
        rest = this.#stillDue(rest, { certificate, state });
      }
      return { ...state, order: null };
    } catch (error) {
      if (this.#end.signal.aborted) return null;
      return this.#failed(state, error);
    }
  }

  #stillDue(rest: string[], known: Pick<Parameters<typeof planOrder>[0], "certificate" | "state">): string[] {
    const { clock, settings } = this.#parts;
    const { directory, names: wanted } = settings;
    const state = { ...known.state, order: null };
    const { names } = planOrder({ certificate: known.certificate, state, wanted, directory, nowMs: clock.now() });
    return rest.filter((name) => names.includes(name));
  }

  /**
   * Orders with the account, and with a new one if the authority refuses an account that it knew before: at most once in
   * REPLACE_ACCOUNT_EVERY_MS.
   */
  async #order(account: Account, names: string[]): Promise<Ordered> {
    const isNew = account.url === null;
    return this.#orderWith(account, names).catch(async (error: unknown) => {
      if (!(error instanceof RefusedAccountError) || isNew) throw error;
      const { store, clock, log } = this.#parts;
      const state = await readCertificateState(store);
      const nowMs = clock.now();
      if (nowMs < (state.accountReplacedAtMs ?? Number.NEGATIVE_INFINITY) + REPLACE_ACCOUNT_EVERY_MS) throw error;
      await writeCertificateState(store, { ...state, accountReplacedAtMs: nowMs });
      log.warn(
        { error: error.message },
        "the authority rejects the account: a new one is registered; a CAA record with accounturi may need a change",
      );
      Object.assign(account, await this.#newAccount());
      return this.#orderWith(account, names);
    });
  }

  #orderWith(account: Account, names: string[]): Promise<Ordered> {
    const { store, clock, settings, ca } = this.#parts;
    const type = settings.httpPort === null ? "tls-alpn-01" : "http-01";
    return orderCertificate(
      {
        clock,
        account,
        type,
        signal: this.#end.signal,
        ca,
        publish: async (challenges) => {
          await storeChallenges(store, challenges, clock.now());
          await new Promise<void>((resolve) => void clock.after(FOUND_AFTER_MS[type], resolve));
        },
        registered: async (url) => {
          account.url = url;
          await storeAccount(this.#parts, account);
        },
      },
      names,
    );
  }

  /** The stored one, or another if the settings name another authority or email address. */
  async #account(): Promise<Account> {
    const { email, directory } = this.#parts.settings;
    const stored = await readAccount(this.#parts);
    if (stored?.directory === directory && stored.email === email) return stored;
    return this.#newAccount();
  }

  /** Only its key: the order registers it. */
  async #newAccount(): Promise<Account> {
    const { email, directory } = this.#parts.settings;
    const account = { key: await newAccountKey(), url: null, email, directory };
    await storeAccount(this.#parts, account);
    return account;
  }

  async #obtained(
    { pair, untilMs, fromMs }: Extract<Ordered, { type: "obtained" }>,
    names: string[],
    state: CertificateState,
  ): Promise<CertificateState> {
    const { log, settings, clock } = this.#parts;
    await storeCertificate(this.#parts, { ...pair, names, directory: settings.directory });
    log.info({ names, notAfter: iso(untilMs) }, "certificate obtained");
    if (fromMs !== null)
      log.warn({ notBefore: iso(fromMs) }, "this server's clock is behind: the certificate is not valid yet by it");
    const refused = Object.fromEntries(Object.entries(state.refused).filter(([name]) => !names.includes(name)));
    const certificate = { names, untilMs, ...(fromMs === null ? {} : { fromMs }) };
    return { certificate, obtainedAtMs: clock.now(), refused, order: null };
  }

  #refuse(state: CertificateState, refused: ReadonlyMap<string, string>): CertificateState {
    const { clock, random, log } = this.#parts;
    const added = [...refused].map(([name, detail]) => {
      const attempt = { detail, atMs: clock.now(), retryAfterMs: null, chance: random() };
      const failure = failureAfter(state.refused[name] ?? null, attempt);
      log.warn({ name, error: detail, nextAt: iso(failure.nextAtMs) }, "the name of a certificate was not validated");
      return [name, failure] as const;
    });
    return { ...state, refused: { ...state.refused, ...Object.fromEntries(added) } };
  }

  #failed(state: CertificateState, error: unknown): CertificateState {
    const { clock, random, log } = this.#parts;
    const retryAfterMs = error instanceof AcmeError ? error.retryAfterMs : null;
    const detail = errorText(error);
    const order = failureAfter(state.order, { detail, atMs: clock.now(), retryAfterMs, chance: random() });
    log.warn({ error: detail, nextAt: iso(order.nextAtMs) }, "no certificate obtained");
    return { ...state, order };
  }

  /** Without those of names that the settings no longer have. */
  #wantedOf(refused: CertificateState["refused"]): CertificateState["refused"] {
    return Object.fromEntries(Object.entries(refused).filter(([name]) => this.#parts.settings.names.includes(name)));
  }
}

/** The store of a process that has the duty. Writes reject once another one may have it. */
function storeWhile(tenure: Tenure, store: RenewalParts["store"]): RenewalParts["store"] {
  const write = async (run: () => Promise<void>): Promise<void> => {
    if (!tenure.isLatest()) throw new Error("another process may have the duty of the certificate: nothing was stored");
    await run();
  };
  return {
    readValue: (name) => store.readValue(name),
    readSecret: (name) => store.readSecret(name),
    writeValue: (...given) => write(() => store.writeValue(...given)),
    addSecret: (...given) => write(() => store.addSecret(...given)),
  };
}

const iso = (ms: number): string => new Date(ms).toISOString();
