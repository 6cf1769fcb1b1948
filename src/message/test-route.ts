/**
 * The test route of an account: it is stored as the domain of recipients whose message was sent with a test key. Delivery goes by
 * that domain, so such messages reach the sink inside the service and nothing else, whatever happens in between. Whether a
 * message is sent with a test key is decided by the use case that accepts it.
 *
 * The empty label keeps it apart from every recipient domain: no address has one (RFC 5321 §4.1.2), and no DNS query can carry
 * it (RFC 1035 §3.1).
 */

export const TEST_ROUTE_PREFIX = "test..";

/** The test route of an account. Accounts have different ones, so that none waits for the test messages of another. */
export const testRouteOf = (accountId: string): string => TEST_ROUTE_PREFIX + accountId;

/** Whether a stored domain is the test route of an account, and no recipient domain. */
export const isTestRoute = (domain: string): boolean => domain.startsWith(TEST_ROUTE_PREFIX);
