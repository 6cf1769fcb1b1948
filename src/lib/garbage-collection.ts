/**
 * Full garbage collections on demand, for moments when a thread has just released much memory: V8 collects on allocation, and
 * may keep the memory for as long as the thread allocates little.
 */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

let gc: (() => void) | undefined;

/** Runs a full collection of the calling thread's heap. Blocks the thread: for milliseconds with a small heap, up to 0.1 s. */
export function collectGarbage(): void {
  if (gc === undefined) {
    // V8 exposes gc() only in contexts created after the flag is set.
    setFlagsFromString("--expose-gc");
    gc = runInNewContext("gc") as () => void;
  }
  gc();
}
