/** An API key as the command line and the management interface show it: all but its text. */
import { rfc3339 } from "../../lib/clock.ts";
import { causeText } from "../../message/key-fuse.ts";
import { type ApiKey, isActive } from "../../spool/port/api-keys.ts";
import type { KeyFuse } from "../../spool/port/key-fuses.ts";

export type KeyView = ReturnType<typeof keyView>;

/** `fuse`: of this key, where it has one. */
export function keyView(key: ApiKey, fuse: KeyFuse | undefined, nowMs: number) {
  return {
    id: key.id,
    name: key.name,
    test: key.test,
    state:
      key.revokedAtMs !== null
        ? ("revoked" as const)
        : isActive(key, nowMs)
          ? ("active" as const)
          : ("expired" as const),
    permissions: key.permissions,
    domains: key.domains,
    networks: key.networks,
    expires_at: timeOf(key.expiresAtMs),
    last_four: key.lastFour,
    created_at: rfc3339(key.createdAtMs),
    last_used_at: timeOf(key.lastUsedAtMs),
    revoked_at: timeOf(key.revokedAtMs),
    held_since: timeOf(fuse?.held?.sinceMs ?? null),
    held_because: whyHeld(fuse),
    fuse: { limit: fuse?.limit ?? null, off: fuse?.isOff ?? false },
  };
}

const timeOf = (ms: number | null): string | null => (ms === null ? null : rfc3339(ms));

const whyHeld = (fuse: KeyFuse | undefined): string | null => {
  const cause = fuse?.held?.cause ?? null;
  return cause === null ? null : causeText(cause);
};
