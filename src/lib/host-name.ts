/** Names of hosts and domains, as a person writes them. */
import { isIP } from "node:net";

/** Labels of letters, digits, hyphens and underscores; one label may do. */
export function isHostName(value: string): boolean {
  const labels = value.split(".");
  return (
    value.length <= 253 &&
    isIP(value) === 0 &&
    labels.every((label) => /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/i.test(label))
  );
}
