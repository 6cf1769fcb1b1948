/**
 * The standing of a bound domain and the events of its changes. Whether a check allows the domain to send is decided in
 * domains/verification-state.ts.
 */
import type { Domain } from "./domains.ts";
import type { EventType } from "./events.ts";

/** `failing`: the domain may still send, but a check has failed since it was last verified. */
export type DomainStanding = "unverified" | "verified" | "failing";

export function domainStanding({ verified, checks }: Pick<Domain, "verified" | "checks">): DomainStanding {
  if (!verified) return "unverified";
  return Object.values(checks).some(({ failedSinceMs }) => failedSinceMs !== null) ? "failing" : "verified";
}

const EVENT_OF_STANDING = {
  unverified: "domain.lost",
  verified: "domain.verified",
  failing: "domain.failing",
} as const satisfies Record<DomainStanding, EventType>;

/** The event of a changed standing. */
export interface DomainEvent {
  accountId: string;
  /** The domain's name. */
  domain: string;
  type: EventType;
  atMs: number;
}

/** Returns the type of a change's event; null if there is none. */
export function standingEvent(before: DomainStanding, after: DomainStanding): EventType | null {
  return before === after ? null : EVENT_OF_STANDING[after];
}
