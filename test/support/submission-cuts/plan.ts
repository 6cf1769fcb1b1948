/** Draws what happens to each message: where its connections are cut, how, and how its client tries again. */
import type { Prng } from "../../../simulate/prng.ts";

/** How far a connection gets. */
export const CUT_POINTS = [
  "in the content",
  "in the final dot",
  "after the dot",
  "while it is stored",
  "reply begun",
  "reply unread",
] as const;

/**
 * How it ends. `half-open`: the client stops, and the connection stays open until the message has been sent by others. `resumed`: the
 * client then goes on where it has stopped.
 */
export const CUT_WAYS = ["reset", "fin", "half-open", "resumed"] as const;

type CutPoint = (typeof CUT_POINTS)[number];
type CutWay = (typeof CUT_WAYS)[number];

export interface Cut {
  point: CutPoint;
  way: CutWay;
  /** A share from 0 to 1 of the octets among which `point` is. */
  share: number;
  /** How long the client waits at `point`. */
  waitMs: number;
}

export interface Plan {
  /** At least one. */
  cuts: Cut[];
  /** The client gives up after the cuts. */
  isAbandoned: boolean;
  /** Attempts after the cuts that send their final dots at the same time. */
  together: number;
  /** Before each retry. */
  pauseMs: number;
}

const ABANDONED_PROBABILITY = 0.06;
const MORE_CUTS_PROBABILITY = 0.5;
const CUTS_MAX = 4;
const TOGETHER_PROBABILITY = 0.2;
const PAUSE_PROBABILITY = 0.3;
const PAUSE_MAX_MS = 20;
const STORING_MAX_MS = 3;
const UNREAD_MAX_MS = 40;

export function drawPlan(prng: Prng): Plan {
  const cuts = [drawCut(prng)];
  while (cuts.length < CUTS_MAX && prng.chance(MORE_CUTS_PROBABILITY)) cuts.push(drawCut(prng));
  return {
    cuts,
    isAbandoned: prng.chance(ABANDONED_PROBABILITY),
    together: prng.chance(TOGETHER_PROBABILITY) ? prng.integer(2, 3) : 1,
    pauseMs: prng.chance(PAUSE_PROBABILITY) ? prng.integer(1, PAUSE_MAX_MS) : 0,
  };
}

function drawCut(prng: Prng): Cut {
  const point = prng.pick(CUT_POINTS);
  const wait = { "while it is stored": STORING_MAX_MS, "reply unread": UNREAD_MAX_MS } as Partial<
    Record<CutPoint, number>
  >;
  return { point, way: prng.pick(CUT_WAYS), share: prng.next(), waitMs: prng.next() * (wait[point] ?? 0) };
}

/** The octets of CRLF.CRLF. */
export const FINAL_OCTETS = 5;

/** Whether the service gets the whole final dot before the cut. */
export const isAfterDot = ({ point }: Cut): boolean => point !== "in the content" && point !== "in the final dot";

/** How many of the octets of a message, with its final dot, are sent before the cut. */
export function octetsBefore(cut: Cut, octets: number): number {
  if (isAfterDot(cut)) return octets;
  const content = octets - FINAL_OCTETS;
  if (cut.point === "in the content") return Math.floor(cut.share * (content + 1));
  return content + 1 + Math.floor(cut.share * (FINAL_OCTETS - 1));
}
