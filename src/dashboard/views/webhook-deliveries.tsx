/** @jsxRuntime automatic @jsxImportSource preact */
/**
 * The list of attempts at a webhook endpoint's events.
 */
import type { Endpoint, WebhookAttempt } from "../../spool/port/webhooks.ts";
import { EmptyState, RelativeTime, Table } from "./components.tsx";
import { attemptLabel, spanText } from "./labels.ts";
import { RowLink, StateText } from "./list-rows.tsx";

export interface AttemptPage {
  attempts: WebhookAttempt[];
  /** As latestAttempts returns them. */
  latest: ReadonlySet<number>;
  failedOnly: boolean;
  /** Only attempts before this one; null for the newest. */
  before: number | null;
  /** Whether there are older attempts. */
  hasOlder: boolean;
}

export const pathOf = ({ id }: Pick<Endpoint, "id">): string => `/dashboard/webhooks/${id}`;

/** Encodes the list of deliveries as a query string; "" for the newest of all. */
function deliveriesQuery(failedOnly: boolean, before: number | null): string {
  const query = new URLSearchParams({
    ...(failedOnly ? { failed: "1" } : {}),
    ...(before === null ? {} : { before: String(before) }),
  });
  return query.size === 0 ? "" : `?${query}`;
}

/** The beginning of a response's body. */
export function ResponseText({ text }: { text: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard
    <pre class="body-text" tabIndex={0}>
      {text}
    </pre>
  );
}

export interface DeliveriesProps {
  endpoint: Endpoint;
  page: AttemptPage;
  /** Whether an event waits for another attempt. */
  hasRetries: boolean;
  /** Changes whenever the page does, except for its relative times. */
  version: string;
  nowMs: number;
}

export function Deliveries({ endpoint, page, hasRetries, version, nowMs }: DeliveriesProps) {
  const { attempts, failedOnly, before, hasOlder } = page;
  const path = pathOf(endpoint);
  const oldest = attempts.at(-1)?.number ?? null;
  return (
    <section aria-labelledby="deliveries-title">
      <div class="title-row">
        <h2 id="deliveries-title">Recent deliveries</h2>
        <nav class="tabs" aria-label="Deliveries">
          <a href={`${path}#deliveries`} aria-current={failedOnly ? undefined : "true"}>
            All
          </a>
          <a href={`${path}?failed=1#deliveries`} aria-current={failedOnly ? "true" : undefined}>
            Failed only
          </a>
        </nav>
      </div>
      <div id="deliveries" data-live={`${path}/state${deliveriesQuery(failedOnly, before)}`} data-version={version}>
        {attempts.length === 0 ? (
          <NoDeliveries failedOnly={failedOnly} />
        ) : (
          <AttemptTable endpoint={endpoint} page={page} hasRetries={hasRetries} nowMs={nowMs} />
        )}
      </div>
      {hasOlder ? (
        <p class="bar">
          <a class="button" href={`${path}${deliveriesQuery(failedOnly, oldest)}#deliveries`} rel="next">
            Older deliveries
          </a>
        </p>
      ) : null}
    </section>
  );
}

function NoDeliveries({ failedOnly }: { failedOnly: boolean }) {
  if (failedOnly) return <EmptyState title="No failed deliveries" />;
  return (
    <EmptyState title="No deliveries yet">
      <p>Events are sent here as they occur. Send a test event to try the endpoint.</p>
    </EmptyState>
  );
}

const HEAD = ["Event", "Status", "Message", "Time", "Duration", "Attempt", "Next attempt"];

function AttemptTable({ endpoint, page, hasRetries, nowMs }: Omit<DeliveriesProps, "version">) {
  return (
    <Table label="Recent deliveries" class="stacked linked pairs" head={HEAD} numbers={["Duration", "Attempt"]}>
      {page.attempts.map((attempt) => (
        <tr key={attempt.number}>
          <th scope="row" class="nowrap left">
            <RowLink href={`${pathOf(endpoint)}/deliveries/${attempt.number}`}>{attempt.type}</RowLink>
          </th>
          <td class="right">
            <StateText label={attemptLabel(attempt)} />
          </td>
          <td class="nowrap left small message-id">
            {attempt.messageId === null ? (
              "–"
            ) : (
              <a href={`/dashboard/messages/${attempt.messageId}`}>{attempt.messageId}</a>
            )}
          </td>
          <td class="right small">
            <RelativeTime atMs={attempt.atMs} nowMs={nowMs} />
          </td>
          <td class="number secondary">{spanText(attempt.durationMs)}</td>
          <td class="number secondary">{attempt.attempt}</td>
          <td class="secondary">
            <NextAttempt attempt={attempt} plan={{ endpoint, latest: page.latest, hasRetries }} nowMs={nowMs} />
          </td>
        </tr>
      ))}
    </Table>
  );
}

/**
 * Returns the numbers of the attempts, the newest first, that no newer one in the list has overtaken. Events of a message are
 * sent in their order, and so are those of domains: a newer attempt at another one of them means that this event has not
 * remained the next.
 */
export function latestAttempts(attempts: readonly WebhookAttempt[]): ReadonlySet<number> {
  const newest = new Map<string | null, number>();
  for (const { messageId, number } of attempts) if (!newest.has(messageId)) newest.set(messageId, number);
  return new Set(newest.values());
}

/** What decides whether the time of an event's next attempt, which was stored after a failure, still holds. */
export interface AttemptPlan {
  endpoint: Endpoint;
  latest: ReadonlySet<number>;
  hasRetries: boolean;
}

export interface NextAttemptProps {
  attempt: WebhookAttempt;
  plan: AttemptPlan;
  nowMs: number;
}

export function NextAttempt({ attempt: { number, result, nextAttemptAtMs }, plan, nowMs }: NextAttemptProps) {
  const { endpoint, latest, hasRetries } = plan;
  if (result === "given_up") return <>None: given up</>;
  if (nextAttemptAtMs === null || !hasRetries || !latest.has(number)) return <>–</>;
  if (endpoint.disabled !== null) return <>When enabled</>;
  if (endpoint.pausedAtMs !== null) return <>When resumed</>;
  return nextAttemptAtMs > nowMs ? <RelativeTime atMs={nextAttemptAtMs} nowMs={nowMs} /> : <>–</>;
}
