/** The end of a damaged message by an operator. Only a quarantined message is discarded: others are cancelled. */
import type { DiscardedMessage } from "../../spool/port/quarantine.ts";
import type { Spool } from "../../spool/port/spool.ts";

export type Discard =
  | { type: "discarded"; message: DiscardedMessage }
  | { type: "not_quarantined" }
  | { type: "unknown" };

/** A message that is named by its row has no id that can be read. */
const ROW = /^row[ -]?(\d{1,15})$/;

/** The message that a name means: an id, or a row as in `row 12`. */
export function quarantinedName(name: string): string | number {
  const row = ROW.exec(name)?.[1];
  return row === undefined ? name : Number(row);
}

export interface DiscardAction {
  message: string | number;
  by: string;
  nowMs: number;
}

/** Discards a message of any account. `unknown`: there is no such message. */
export async function discardMessage(
  spool: Pick<Spool, "discardQuarantined" | "report">,
  action: DiscardAction,
): Promise<Discard> {
  const message = await spool.discardQuarantined(action);
  if (message !== null) return { type: "discarded", message };
  if (typeof action.message === "number") return { type: "unknown" };
  return { type: (await spool.report(action.message)) === null ? "unknown" : "not_quarantined" };
}
