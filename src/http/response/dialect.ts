/**
 * What distinguishes the APIs of this service for code that handles requests of all of them: Postrider's API, and those of other
 * services that it is compatible with.
 */
import type { SendRateState } from "../../app/send/send-rate.ts";
import type { Problem, ProblemForm } from "./problems.ts";

/** Returns the dialect of a path, or of a request target with a query. */
export type DialectOf = (target: string) => Dialect;

export interface Dialect {
  /** Paths of requests that send. */
  sendPaths: ReadonlySet<string>;
  errors: ProblemForm;
  /** The header fields of a response to a valid key. Null: its rate is not limited. */
  rateHeaders(state: SendRateState | null): Record<string, string>;
  /** The problem of a request whose path is none of the API's. */
  noSuchPath(method: string, path: string): Problem;
}
