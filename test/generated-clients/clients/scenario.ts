/** The input and the result of the scenario that each client runs: send, wait, look up, list, and a rejected send. */

export interface Service {
  url: string;
  key: string;
  /** A sender of a verified domain. */
  from: string;
  /** A recipient that accepts messages. */
  to: string;
}

export interface Found {
  id: string;
  /** The result after the wait. */
  result: string;
  reason: string | null;
  /** The subject in the lookup. */
  subject: string;
  /** The ids in the list by recipient. */
  listed: string[];
  /** The error code of a send whose sender is not allowed. */
  code: string;
}

/** Returns the value. Throws if a call failed. */
export function given<T>(value: T | undefined, call: string): T {
  if (value === undefined) throw new Error(`${call} gave no data`);
  return value;
}
