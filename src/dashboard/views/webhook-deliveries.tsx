/** @jsxRuntime automatic @jsxImportSource preact */
/**
 * The list of attempts at a webhook endpoint's events.
 */
import type { Endpoint, WebhookAttempt } from "../../spool/port/webhooks.ts";
import { Badge, EmptyState, RelativeTime, Table } from "./components.tsx";
import { attemptLabel, spanText } from "./labels.ts";

export interface AttemptPage {
  attempts: WebhookAttempt[];
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
  /** Changes whenever the page does, except for its relative times. */
  version: string;
  nowMs: number;
}

export function Deliveries({ endpoint, page, version, nowMs }: DeliveriesProps) {
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
          <EmptyState title={failedOnly ? "No failed deliveries" : "No deliveries yet"} />
        ) : (
          <AttemptTable endpoint={endpoint} attempts={attempts} nowMs={nowMs} />
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

interface AttemptTableProps {
  endpoint: Endpoint;
  attempts: WebhookAttempt[];
  nowMs: number;
}

function AttemptTable({ endpoint, attempts, nowMs }: AttemptTableProps) {
  return (
    <Table
      label="Recent deliveries"
      class="stacked"
      head={["Event", "Message", "Status", "Time", "Duration", "Attempt", "Next attempt"]}
    >
      {attempts.map((attempt) => (
        <tr key={attempt.number}>
          <th scope="row">
            <a href={`${pathOf(endpoint)}/deliveries/${attempt.number}`}>{attempt.type}</a>
          </th>
          <td data-label="Message">
            {attempt.messageId === null ? (
              "–"
            ) : (
              <a href={`/dashboard/messages/${attempt.messageId}`}>{attempt.messageId}</a>
            )}
          </td>
          <td>
            <Badge label={attemptLabel(attempt)} />
          </td>
          <td class="nowrap" data-label="Time">
            <RelativeTime atMs={attempt.atMs} nowMs={nowMs} />
          </td>
          <td class="number" data-label="Duration">
            {spanText(attempt.durationMs)}
          </td>
          <td class="number" data-label="Attempt">
            {attempt.attempt}
          </td>
          <td class="nowrap" data-label="Next attempt">
            <NextAttempt attempt={attempt} nowMs={nowMs} />
          </td>
        </tr>
      ))}
    </Table>
  );
}

/** As of the attempt: a later one may have been made, or made due by a user. */
export function NextAttempt({ attempt, nowMs }: { attempt: WebhookAttempt; nowMs: number }) {
  const { result, nextAttemptAtMs } = attempt;
  if (nextAttemptAtMs !== null) return <RelativeTime atMs={nextAttemptAtMs} nowMs={nowMs} />;
  return <>{result === "given_up" ? "None: given up" : "–"}</>;
}
