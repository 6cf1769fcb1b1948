/**
 * Limits of what is read and kept of events and webhooks, the same in both forms of the spool.
 */

/** The events that one read looks at, whether or not the filter selects them. */
export const EVENTS_READ_MAX = 500;

/** The characters of all events that one read returns; the last event may exceed it. */
export const EVENT_TEXT_MAX = 256 * 1024;

/** The most events that are counted as waiting for an endpoint. */
export const EVENTS_COUNTED_MAX = 10_000;

/** Attempts that are kept of an endpoint. */
export const ATTEMPTS_KEPT_MAX = 10_000;
