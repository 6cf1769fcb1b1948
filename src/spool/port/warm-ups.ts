/** The warm-up of sending addresses at receivers (receivers/warm-up.ts), which all nodes share. */
import type { WarmUpDay, WarmUpDraw } from "../../receivers/warm-up.ts";

/** Names a row. */
export interface WarmUpKey {
  /** A sending address. */
  address: string;
  /** The name of a destination, without its source (receivers/names.ts). */
  receiver: string;
}

export interface WarmUpGrant {
  state: WarmUpDay;
  /** How many messages may be sent; null for no limit. */
  granted: number | null;
  /** How many more may be drawn today; null for no limit. */
  left: number | null;
}

/** Rows of an address that are listed at once, those of most messages first. */
export const WARM_UPS_LISTED = 200;

export interface WarmUps {
  /** Reports what was sent, and draws from the messages of the day, in one step. On disk once this resolves. */
  drawWarmUp(key: WarmUpKey, draw: WarmUpDraw): Promise<WarmUpGrant>;
  /** The states of an address. Old states may have been removed. */
  warmUpsOf(address: string): Promise<(WarmUpDay & { receiver: string })[]>;
  /** Sets the place in the schedule at one receiver, which begins on `day` without a state; null for every receiver for which the address has a state. */
  moveWarmUp(key: { address: string; receiver: string | null }, to: Pick<WarmUpDay, "place" | "day">): Promise<void>;
  /** Removes all states of an address. */
  forgetWarmUps(address: string): Promise<void>;
}
