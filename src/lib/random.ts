/**
 * Random bytes for names that must not repeat or be guessed: message ids, request ids, MIME boundaries. Secrets that last
 * (keys, tokens) are drawn from node:crypto directly, so that nothing of them stays here.
 */
import { randomFillSync } from "node:crypto";

/** One draw for some hundred names: a draw of a few bytes costs as much as one of thousands. */
const POOL_BYTES = 8192;

const pool = Buffer.alloc(POOL_BYTES);
let used = POOL_BYTES;

/** Cryptographically random bytes of their own, at most 1024. */
export function pooledRandomBytes(sizeBytes: number): Buffer {
  if (used + sizeBytes > POOL_BYTES) {
    randomFillSync(pool);
    used = 0;
  }
  const bytes = Buffer.from(pool.subarray(used, used + sizeBytes));
  used += sizeBytes;
  return bytes;
}
