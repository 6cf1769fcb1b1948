/** The suppression list of an account: its pages, the test of one address, the removal of one. */
import { SUPPRESSION_CAUSES, type SuppressionCause } from "../../message/result/suppression.ts";
import type { SuppressedAddress, SuppressionPosition, Suppressions } from "../../spool/port/suppressions.ts";

const PAGE_MAX = 100;

/** Whose list, and the moment that decides what is in force. */
export interface ListOf {
  accountId: string;
  /** SUPPRESS_AFTER. */
  suppressAfter: number;
  nowMs: number;
}

export interface ListRequest extends ListOf {
  /** From 1 to PAGE_MAX. */
  limit: number;
  /** `next` of the page before. */
  cursor?: string;
  cause?: SuppressionCause;
  /** A part of the address, in any case. */
  search?: string;
}

export interface ListedSuppressions {
  data: SuppressedAddress[];
  /** For the next page; null at the end. A page of a search may have no addresses and be followed by another. */
  next: string | null;
}

export async function listSuppressions(
  store: Pick<Suppressions, "suppressions">,
  { suppressAfter: after, limit, cursor, ...filter }: ListRequest,
): Promise<ListedSuppressions | "invalid_cursor"> {
  const position = cursor === undefined ? undefined : positionOf(cursor);
  if (position === null) return "invalid_cursor";
  const page = await store.suppressions({
    ...filter,
    after,
    limit: Math.min(limit, PAGE_MAX),
    ...(position === undefined ? {} : { position }),
  });
  return { data: page.addresses, next: page.next === null ? null : cursorOf(page.next) };
}

/** Returns the suppression of an address; null if messages to it are attempted. */
export function testAddress(
  store: Pick<Suppressions, "suppression">,
  { suppressAfter: after, ...of }: ListOf & { email: string },
): Promise<SuppressedAddress | null> {
  return store.suppression({ ...of, after });
}

/** Lifts the suppression of an address, and deletes its refusals. Returns false if it had neither. */
export const removeSuppression = (
  store: Pick<Suppressions, "unsuppress">,
  { accountId, email }: Pick<ListOf, "accountId"> & { email: string },
): Promise<boolean> => store.unsuppress(accountId, email);

export const isSuppressionCause = (text: string): text is SuppressionCause =>
  SUPPRESSION_CAUSES.some((cause) => cause === text);

const cursorOf = ({ isRefused, atMs, address }: SuppressionPosition): string =>
  Buffer.from(`${isRefused ? "r" : "s"} ${atMs} ${address}`).toString("base64url");

const CURSOR = /^([rs]) (\d{1,16}) (.{0,1000})$/s;

/** Null for a text that is no cursor. */
function positionOf(cursor: string): SuppressionPosition | null {
  const [, list, atMs, address] = CURSOR.exec(Buffer.from(cursor, "base64url").toString()) ?? [];
  if (list === undefined || atMs === undefined || address === undefined) return null;
  return { isRefused: list === "r", atMs: Number(atMs), address };
}
