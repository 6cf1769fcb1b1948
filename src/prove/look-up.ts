/** Looks up the results of accepted messages by HTTP, until none is pending or the wait for them is over. */
import { setTimeout as delay } from "node:timers/promises";
import type { Found } from "./comparison.ts";
import { ProveFailure } from "./failure.ts";

const WIDTH = 8;
const PAUSE_MS = 500;
const RESPONSE_MAX_MS = 30_000;

export interface LookUpOptions {
  url: string;
  key: string;
  ids: readonly string[];
  waitMs: number;
  signal: AbortSignal;
  /** Called with how many are still to be settled. */
  onPass: (left: number) => void;
}

/** Messages that are pending at the end of the wait are found as `pending`. */
export async function lookUpAll({
  ids,
  waitMs,
  signal,
  onPass,
  ...service
}: LookUpOptions): Promise<Map<string, Found>> {
  const found = new Map<string, Found>();
  let untilMs: number | null = null;
  for (let left = ids; left.length > 0; ) {
    onPass(left.length);
    await lookUpEach(left, signal, async (id) => void found.set(id, await lookUp(id, service)));
    left = left.filter((id) => found.get(id) === "pending");
    // The first pass looks up all, and takes as long as it takes.
    untilMs ??= performance.now() + waitMs;
    if (left.length === 0 || performance.now() > untilMs) break;
    await delay(PAUSE_MS, undefined, { signal });
  }
  return found;
}

async function lookUpEach(
  ids: readonly string[],
  signal: AbortSignal,
  lookUpOne: (id: string) => Promise<void>,
): Promise<void> {
  const rest = ids.values();
  const work = async (): Promise<void> => {
    for (const id of rest) {
      signal.throwIfAborted();
      await lookUpOne(id);
    }
  };
  await Promise.all(Array.from({ length: WIDTH }, work));
}

async function lookUp(id: string, { url, key }: { url: string; key: string }): Promise<Found> {
  const response = await fetch(`${url}/api/sending/messages/${id}`, {
    headers: { Authorization: `Bearer ${key}` },
    signal: AbortSignal.timeout(RESPONSE_MAX_MS),
  });
  const body = (await response.json()) as { recipients?: { result: Found }[] };
  if (response.status === 404) return "missing";
  const result = body.recipients?.[0]?.result;
  if (response.status === 200 && result !== undefined) return result;
  throw new ProveFailure(`the look-up of ${id} was answered ${response.status}: ${JSON.stringify(body)}`);
}
