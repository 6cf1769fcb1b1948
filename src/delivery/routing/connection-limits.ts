/**
 * The limits of DESTINATION_LIMITS: how many connections at one time the mail hosts of an operator allow. A destination with several
 * operators has the least of their limits.
 */
import { operatorOf, operatorsIn } from "./route.ts";

/**
 * Returns the limit of a destination by its name; null for none. `limits` are by an operator's domain or one of its hosts, or by
 * the sink's `host:port`.
 */
export function connectionLimits(limits: ReadonlyMap<string, number>): (destination: string) => number | null {
  const byOperator = new Map<string, number>();
  for (const [domain, limit] of limits) {
    const operator = domain.includes(":") ? domain : operatorOf(domain);
    byOperator.set(operator, Math.min(limit, byOperator.get(operator) ?? limit));
  }
  if (byOperator.size === 0) return () => null;
  return (destination) => {
    const known = operatorsIn(destination).flatMap((operator) => byOperator.get(operator) ?? []);
    return known.length === 0 ? null : Math.min(...known);
  };
}
