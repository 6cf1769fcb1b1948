/**
 * The endpoints of Resend's API that Postrider serves. Their routes, the response to other paths and the API reference (document.ts) are made
 * of this table.
 */
import type Router from "@koa/router";
import type { Middleware } from "koa";

interface Endpoint {
  method: "GET" | "POST" | "PATCH" | "DELETE";
  /** Below the base URL of clients. */
  path: string;
}

export const ENDPOINTS = {
  sendEmail: { method: "POST", path: "/emails" },
  sendEmails: { method: "POST", path: "/emails/batch" },
  listEmails: { method: "GET", path: "/emails" },
  getEmail: { method: "GET", path: "/emails/{id}" },
  updateEmail: { method: "PATCH", path: "/emails/{id}" },
  cancelEmail: { method: "POST", path: "/emails/{id}/cancel" },
  createDomain: { method: "POST", path: "/domains" },
  listDomains: { method: "GET", path: "/domains" },
  getDomain: { method: "GET", path: "/domains/{id}" },
  verifyDomain: { method: "POST", path: "/domains/{id}/verify" },
  deleteDomain: { method: "DELETE", path: "/domains/{id}" },
  createApiKey: { method: "POST", path: "/api-keys" },
  listApiKeys: { method: "GET", path: "/api-keys" },
  deleteApiKey: { method: "DELETE", path: "/api-keys/{id}" },
} as const satisfies Record<string, Endpoint>;

export type EndpointName = keyof typeof ENDPOINTS;

export const PREFIX = "/compat/resend";

/** Returns the paths of an endpoint. Clients append its path to a base URL with or without a slash at its end. */
export const pathsOf = (path: string): string[] => [PREFIX + path, `${PREFIX}/${path}`];

/** Adds the route of an endpoint. */
export function addEndpoint(router: Router, name: EndpointName, middleware: Middleware): void {
  const { method, path } = ENDPOINTS[name];
  router.register(pathsOf(path.replace("{id}", ":id")), [method], middleware);
}

/** The endpoints as text, those of a path together: `GET and PATCH /emails/{id}, …`. */
export function endpointsText(): string {
  const methods = new Map<string, string[]>();
  for (const { method, path } of Object.values(ENDPOINTS)) methods.set(path, [...(methods.get(path) ?? []), method]);
  const texts = [...methods].map(([path, names]) => `${names.join(" and ")} ${path}`);
  return `${texts.slice(0, -1).join(", ")}, and ${texts.at(-1)}`;
}
