/** The input and the result of the scenario that each client runs: send, wait, look up, list, and a rejected send. */

export interface Service {
  url: string;
  key: string;
  /** A sender of a verified domain. */
  from: string;
  /** A recipient that accepts mail. */
  to: string;
}

export interface Found {
  id: string;
  /** After the wait. */
  result: string;
  reason: string | null;
  /** Of the lookup. */
  subject: string;
  /** Ids of the list by recipient. */
  listed: string[];
  /** Of a send whose sender is not allowed. */
  code: string;
}

/** The value, or an exception where a call failed. */
export function given<T>(value: T | undefined, call: string): T {
  if (value === undefined) throw new Error(`${call} gave no data`);
  return value;
}
