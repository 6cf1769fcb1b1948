/**
 * Pooled random bytes for identifiers that must be unique and unguessable. Long-lived secrets (keys, tokens) use node:crypto
 * directly, so no copy of them remains in the pool.
 */
import { randomFillSync } from "node:crypto";

/** One call fills the pool for several hundred identifiers: a call for a few bytes costs as much as one for thousands. */
const POOL_BYTES = 8192;

const pool = Buffer.alloc(POOL_BYTES);
let used = POOL_BYTES;

/** Returns at most 1024 cryptographically random bytes in a separate buffer. */
export function pooledRandomBytes(sizeBytes: number): Buffer {
  if (used + sizeBytes > POOL_BYTES) {
    randomFillSync(pool);
    used = 0;
  }
  const bytes = Buffer.from(pool.subarray(used, used + sizeBytes));
  used += sizeBytes;
  return bytes;
}
