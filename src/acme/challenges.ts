/**
 * The challenges of an order in progress. They are an entry of the spool, because the authority may ask any node: HTTP-01 reads it
 * when it is asked, TLS-ALPN-01 must have its answer at once and keeps a copy that is read again every second.
 */
import { createSecureContext, type SecureContext } from "node:tls";
import { crypto } from "acme-client";
import type { Clock } from "../lib/clock.ts";
import { MINUTE_MS } from "../lib/units.ts";
import { CERTIFICATE_ENTRIES, type KeyValueStore } from "../spool/port/key-value.ts";
import type { Challenge } from "./order.ts";

type Store = Pick<KeyValueStore, "readValue" | "writeValue">;

interface StoredChallenges {
  untilMs: number;
  challenges: Challenge[];
}

/** Longer than an order takes. */
const KEPT_MS = 10 * MINUTE_MS;
/** A flood of requests for challenges reads the spool no more often. */
const READ_AGAIN_MS = 250;
const COPY_INTERVAL_MS = 1000;
/** How long until each node finds what has been stored. */
export const FOUND_AFTER_MS = { "http-01": 4 * READ_AGAIN_MS, "tls-alpn-01": 3 * COPY_INTERVAL_MS } as const;

/** Replaces those of an earlier order. */
export async function storeChallenges(store: Store, challenges: Challenge[], nowMs: number): Promise<void> {
  const stored: StoredChallenges = { untilMs: nowMs + KEPT_MS, challenges };
  await store.writeValue(CERTIFICATE_ENTRIES.challenges, JSON.stringify(stored));
}

async function readChallenges(store: Pick<Store, "readValue">, nowMs: number): Promise<Challenge[]> {
  const text = await store.readValue(CERTIFICATE_ENTRIES.challenges);
  if (text === null) return [];
  const { untilMs, challenges } = JSON.parse(text) as StoredChallenges;
  return untilMs > nowMs ? challenges : [];
}

/** Finds the answers of HTTP-01. */
export class ChallengeReader {
  readonly #parts: { store: Pick<Store, "readValue">; clock: Clock };
  #read: { atMs: number; challenges: Promise<Challenge[]> } | null = null;

  constructor(parts: { store: Pick<Store, "readValue">; clock: Clock }) {
    this.#parts = parts;
  }

  /** The key authorization; null for a token that is not of an order in progress. Rejects with SpoolUnavailable. */
  async find(token: string): Promise<string | null> {
    const { store, clock } = this.#parts;
    const nowMs = clock.monotonicMs();
    if (this.#read === null || nowMs - this.#read.atMs > READ_AGAIN_MS)
      this.#read = { atMs: nowMs, challenges: readChallenges(store, clock.now()) };
    const challenges = await this.#read.challenges;
    return challenges.find((each) => each.token === token)?.keyAuthorization ?? null;
  }
}

/** By the name that a challenge is for. */
type Contexts = Map<string, { keyAuthorization: string; context: SecureContext }>;

/** Has the certificates that answer TLS-ALPN-01 (RFC 8737 §3). */
export class ChallengeCertificates {
  readonly #parts: { store: Pick<Store, "readValue">; clock: Clock };
  #contexts: Contexts = new Map();
  #isStopped = false;
  #cancel = (): void => {};

  constructor(parts: { store: Pick<Store, "readValue">; clock: Clock }) {
    this.#parts = parts;
  }

  start(): void {
    this.#cancel = this.#parts.clock.after(COPY_INTERVAL_MS, () => {
      // An order waits until the next reading.
      void this.#copy()
        .catch(() => {})
        .then(() => {
          if (!this.#isStopped) this.start();
        });
    });
  }

  stop(): void {
    this.#isStopped = true;
    this.#cancel();
  }

  /** Null for a name without a challenge. */
  of(servername: string): SecureContext | null {
    return this.#contexts.get(servername)?.context ?? null;
  }

  async #copy(): Promise<void> {
    const { store, clock } = this.#parts;
    const contexts: Contexts = new Map();
    for (const { name, keyAuthorization } of await readChallenges(store, clock.now())) {
      const known = this.#contexts.get(name);
      if (known?.keyAuthorization === keyAuthorization) contexts.set(name, known);
      else contexts.set(name, { keyAuthorization, context: await challengeContext(name, keyAuthorization) });
    }
    this.#contexts = contexts;
  }
}

async function challengeContext(name: string, keyAuthorization: string): Promise<SecureContext> {
  const authorization = { identifier: { type: "dns", value: name } } as Parameters<
    typeof crypto.createAlpnCertificate
  >[0];
  const ownKey = await crypto.createPrivateEcdsaKey();
  const [key, cert] = await crypto.createAlpnCertificate(authorization, keyAuthorization, ownKey);
  return createSecureContext({ key, cert });
}
