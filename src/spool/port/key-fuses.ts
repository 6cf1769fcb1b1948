/** What API keys send, and which of them are held (message/key-fuse.ts). All nodes share it. */
import type { FuseCause, FuseSetting, KeyHistory } from "../../message/key-fuse.ts";

export interface NamedKey {
  keyId: string;
  accountId: string;
}

/** Recipients of a key in a span of SPAN_MS. */
export interface KeySpan {
  keyId: string;
  /** Spans since the epoch. */
  span: number;
  recipients: number;
  /** Of them, unknown mailboxes. */
  unknown: number;
}

/** The counts of a key by all nodes. */
export interface KeyTotals {
  keyId: string;
  /** Of the present span. */
  span: number;
  /** Of its UTC day. */
  day: number;
  unknown: number;
}

export interface KeyFuse extends FuseSetting, NamedKey {
  /** Null unless it is held. */
  held: { sinceMs: number; cause: FuseCause | null } | null;
  /** When it came near its limit last; null if never, and while it is held. */
  warned: { atMs: number; cause: FuseCause | null } | null;
}

export interface FuseChange extends NamedKey {
  atMs: number;
  cause: FuseCause;
}

/** The rows that are read at once: held keys, and those with a setting. */
export const FUSES_MAX = 10_000;

export interface KeyFuses {
  /** Adds what keys have sent, and returns the counts of those keys by all nodes, as of the span `now`. */
  addKeyUse(added: readonly KeySpan[], now: number): Promise<KeyTotals[]>;
  /** What a key did in the days before the day of a span. */
  keyHistory(keyId: string, span: number): Promise<KeyHistory>;
  /** Keys that are or were held or warned about, or have a setting: held ones first. */
  keyFuses(): Promise<KeyFuse[]>;
  /** Returns false if the key is held already, or its fuse was turned off meanwhile. */
  holdKey(held: FuseChange): Promise<boolean>;
  /** Notes that the key comes near its limit, unless it is held. */
  warnKey(warned: FuseChange): Promise<void>;
  /** Returns false if the account has no such held key. */
  releaseKey(released: NamedKey & { atMs: number }): Promise<boolean>;
  setKeyFuse(key: NamedKey, setting: Pick<FuseSetting, "limit" | "isOff">): Promise<void>;
}
