/**
 * The path of a request as the log and the request log show it.
 */

const LENGTH_MAX = 200;

/** Endpoints for machines of the operator, requested every few seconds. */
const SERVICE_PATHS = new Set(["/healthz", "/readyz", "/metrics", "/openapi.json"]);

/** Shortens the path, which may come from an unauthenticated client, and removes API keys from it. */
export function loggedPath(path: string): string {
  const shown = path.length > LENGTH_MAX ? `${path.slice(0, LENGTH_MAX)}…` : path;
  return shown.includes("svc_live_") ? shown.replace(/svc_live_[^/]*/g, "svc_live_…") : shown;
}

/** As loggedPath, of a request target without its query. Returns "" for a target that is not a path. */
export function loggedTarget(target: string): string {
  if (!target.startsWith("/")) return "";
  const end = target.indexOf("?");
  return loggedPath(end === -1 ? target : target.slice(0, end));
}

/** Whether requests of this path are left out of the request log. */
export const isServicePath = (path: string): boolean => SERVICE_PATHS.has(path);
