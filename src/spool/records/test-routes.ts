/** The test route in what is stored: which recipients must be on it, and how SQL recognizes it. */
import { parseMailbox } from "../../message/address.ts";
import { isTestRoute, TEST_ROUTE_PREFIX, testRouteOf } from "../../message/test-route.ts";
import type { NewMessage } from "../port/mail.ts";

/** Throws unless all recipients of a test message are on the test route of its account, and none of another message is on one. */
export function checkRoutes({ accountId, recipients, test = false }: NewMessage): void {
  const route = testRouteOf(accountId);
  for (const { domain } of recipients) {
    if (test ? domain === route : !isTestRoute(domain)) continue;
    throw new Error(`a recipient of a ${test ? "test" : "live"} message must not be at ${domain}`);
  }
}

/** Returns the stored domain that a recipient of the message must have; null if its email address is damaged. */
export function routeOf(email: unknown, { accountId, isTest }: { accountId: string; isTest: boolean }): string | null {
  const domain = domainOf(email);
  return domain !== null && isTest ? testRouteOf(accountId) : domain;
}

/** Returns the domain of a stored email address in lower-case A-labels; null if it is not an address. */
export function domainOf(address: unknown): string | null {
  if (typeof address !== "string") return null;
  const mailbox = parseMailbox(address);
  return mailbox.type === "valid" ? mailbox.domain : null;
}

/** The condition that a stored domain is no test route. */
export const isLiveSql = (column: string): string =>
  `substr(${column}, 1, ${TEST_ROUTE_PREFIX.length}) <> '${TEST_ROUTE_PREFIX}'`;
