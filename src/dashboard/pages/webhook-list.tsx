/** @jsxRuntime automatic @jsxImportSource preact */
/**
 * The list of webhook endpoints, with the form that creates one, and the page that shows a secret once.
 */
import type { Endpoint } from "../../spool/port/webhooks.ts";
import type { AuthContext } from "../auth/sessions.ts";
import { alreadyShownPage } from "../views/already-shown.tsx";
import { Copyable, EmptyState, Notice, RelativeTime, Table } from "../views/components.tsx";
import { endpointLabel } from "../views/labels.ts";
import { signedInPage } from "../views/layout.tsx";
import { RowLink, StateText } from "../views/list-rows.tsx";
import { Allowed } from "../views/permissions.tsx";
import { type EndpointForm, WebhookForm } from "../views/webhook-form.tsx";

export interface WebhookListState {
  endpoints: Endpoint[];
  form: EndpointForm;
  nowMs: number;
  /** Why the form was rejected, where the reason belongs to no field. */
  error?: string;
  notice?: string | undefined;
}

export function webhookListPage(auth: AuthContext, state: WebhookListState): string {
  const { endpoints, form, nowMs, error, notice } = state;
  return signedInPage(auth, "/webhooks", {
    title: "Webhooks",
    children: (
      <>
        <h1>Webhooks</h1>
        {notice === undefined ? null : <Notice tone="good">{notice}</Notice>}
        {error === undefined ? null : <Notice tone="bad">{error}</Notice>}
        {endpoints.length === 0 ? (
          <EmptyState title="No webhook endpoints yet">
            <p>A webhook endpoint is a URL of your website. Postrider posts each event to it, such as a delivery.</p>
          </EmptyState>
        ) : (
          <Table
            label="Webhook endpoints"
            class="stacked linked pairs"
            head={["URL", "State", "Event types", "Created"]}
          >
            {endpoints.map((endpoint) => (
              <Row key={endpoint.id} endpoint={endpoint} nowMs={nowMs} />
            ))}
          </Table>
        )}
        <Allowed to="POST /dashboard/webhooks">
          <section class="card">
            <h2>Create an endpoint</h2>
            <WebhookForm auth={auth} action="/dashboard/webhooks" form={form} submit="Create endpoint" />
          </section>
        </Allowed>
      </>
    ),
  });
}

function Row({ endpoint, nowMs }: { endpoint: Endpoint; nowMs: number }) {
  return (
    <tr>
      <th scope="row" class="left">
        <RowLink href={`/dashboard/webhooks/${endpoint.id}`}>{endpoint.url}</RowLink>
      </th>
      <td class="right">
        <StateText label={endpointLabel(endpoint)} />
      </td>
      <td class="left small">{endpoint.types?.join(", ") ?? "All event types"}</td>
      <td class="nowrap right small">
        <RelativeTime atMs={endpoint.createdAtMs} nowMs={nowMs} />
      </td>
    </tr>
  );
}

export interface NewSecret {
  endpointId: string;
  url: string;
  secret: string;
  /** Whether it replaces a secret. */
  isRotation: boolean;
}

export function secretPage(auth: AuthContext, { endpointId, url, secret, isRotation }: NewSecret): string {
  return signedInPage(auth, "/webhooks/secret", {
    title: isRotation ? "New webhook secret" : "Webhook endpoint created",
    children: (
      <>
        <h1>{isRotation ? "New secret created" : "Webhook endpoint created"}</h1>
        <p class="lead">{url}</p>
        <Notice tone="warn">Copy the secret now: this is the only time it is shown.</Notice>
        <section class="card">
          <h2>Signing secret</h2>
          <Copyable text={secret} label="signing secret" kind="secret" />
          <p>
            Your website verifies each request with it, as{" "}
            <a href="https://www.standardwebhooks.com">Standard Webhooks</a> describes. The{" "}
            <a href="/dashboard/api/webhooks#webhooks">API reference</a> lists the header fields.
          </p>
          {isRotation ? (
            <p>The former secret stays valid for 24 hours. Until then, each request is signed with both.</p>
          ) : null}
        </section>
        <p class="bar">
          <a class="button primary" href={`/dashboard/webhooks/${endpointId}`}>
            Continue
          </a>
        </p>
      </>
    ),
  });
}

export const secretAlreadyShownPage = (auth: AuthContext): string =>
  alreadyShownPage(auth, {
    at: "/webhooks/secret",
    name: "secret",
    text: "A secret is shown once, when it is created. If you did not copy it, rotate it on the endpoint's page.",
    link: { href: "/dashboard/webhooks", text: "Show all endpoints" },
  });
