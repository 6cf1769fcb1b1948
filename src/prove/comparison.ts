/**
 * Compares what clients were answered with what the service reports and what the sink has. It decides what is lost and what is
 * doubled.
 */

/** As the look-up reports a message with one recipient; `missing`: the service does not know its id. */
export type Found = "pending" | "delivered" | "failed" | "unknown" | "missing";

export interface Observations {
  /** The ids of 202 responses by the message's number. A second id for one message is a fault of idempotency. */
  accepted: ReadonlyMap<number, ReadonlySet<string>>;
  /** By id. */
  found: ReadonlyMap<string, Found>;
  /** How often each message arrived at the sink as a whole, by its number. */
  arrivals: ReadonlyMap<number, number>;
}

export interface Comparison {
  /** Messages answered with 202. */
  accepted: number;
  delivered: number;
  /** In doubt after a kill between the final dot and its record; the service does not send them again. */
  unknown: number;
  /** Still to be delivered when the wait for them ended. */
  pending: number;
  /** Why each is lost. */
  lost: { id: string; reason: LossReason }[];
  /** The numbers of messages that the sink accepted twice, and none of whose ids is `unknown`. */
  doubled: { number: number; ids: string[]; arrivals: number }[];
}

export type LossReason =
  | "the service does not know it"
  | "reported as failed"
  | "reported as delivered, not at the sink";

export function compare({ accepted, found, arrivals }: Observations): Comparison {
  const counts = { accepted: accepted.size, delivered: 0, unknown: 0, pending: 0 };
  const lost: Comparison["lost"] = [];
  for (const [number, ids] of accepted) {
    for (const id of ids) {
      const result = found.get(id) ?? "missing";
      const reason = lossOf(result, arrivals.get(number) ?? 0);
      if (reason !== null) lost.push({ id, reason });
      else if (result === "delivered" || result === "unknown" || result === "pending") counts[result] += 1;
    }
  }
  return { ...counts, lost, doubled: doubledOf({ accepted, found, arrivals }) };
}

/** The sink refuses nothing, so no message may fail. */
function lossOf(result: Found, arrivals: number): LossReason | null {
  switch (result) {
    case "missing":
      return "the service does not know it";
    case "failed":
      return "reported as failed";
    case "delivered":
      return arrivals === 0 ? "reported as delivered, not at the sink" : null;
    case "unknown":
    case "pending":
      return null;
  }
}

/** Also messages whose 202 never arrived. */
function doubledOf({ accepted, found, arrivals }: Observations): Comparison["doubled"] {
  return [...arrivals].flatMap(([number, count]) => {
    const ids = [...(accepted.get(number) ?? [])];
    const isReported = ids.some((id) => found.get(id) === "unknown");
    return count < 2 || isReported ? [] : [{ number, ids, arrivals: count }];
  });
}
