/** @jsxRuntime automatic @jsxImportSource preact */
/**
 * The pages of a webhook endpoint's edit form, and of the confirmations before its secret is rotated and before it is removed.
 */
import { formerSecretUntilMs } from "../../app/webhooks/webhook-state.ts";
import type { Endpoint } from "../../spool/port/webhooks.ts";
import type { AuthContext } from "../auth/sessions.ts";
import { ConfirmButtons, Notice, PostForm, Timestamp } from "../views/components.tsx";
import { signedInPage } from "../views/layout.tsx";
import { pathOf } from "../views/webhook-deliveries.tsx";
import { type EndpointForm, WebhookForm } from "../views/webhook-form.tsx";

export function editEndpointPage(auth: AuthContext, endpoint: Endpoint, form: EndpointForm): string {
  return signedInPage(auth, "/webhooks/one", {
    title: "Edit endpoint",
    children: (
      <>
        <p class="crumbs">
          <a href="/dashboard/webhooks">Webhooks</a> / <a href={pathOf(endpoint)}>{endpoint.url}</a>
        </p>
        <h1>Edit endpoint</h1>
        <section class="card">
          <WebhookForm auth={auth} action={`${pathOf(endpoint)}/edit`} form={form} submit="Save changes" />
        </section>
      </>
    ),
  });
}

export function rotateSecretPage(auth: AuthContext, endpoint: Endpoint, nowMs: number): string {
  const formerUntilMs = formerSecretUntilMs(endpoint, nowMs);
  return signedInPage(auth, "/webhooks/one", {
    title: "Rotate secret",
    children: (
      <>
        <h1>Rotate the secret of {endpoint.url}?</h1>
        <p>
          You get a new signing secret. For 24 hours, each request is signed with both the new and the former secret:
          replace it in your website within this time. From then on only the new one is valid.
        </p>
        {formerUntilMs === null ? null : (
          <Notice tone="warn">
            The secret from before the last rotation is valid until <Timestamp atMs={formerUntilMs} />. Another rotation
            ends it at once: make sure first that your website has the current secret.
          </Notice>
        )}
        <PostForm action={`${pathOf(endpoint)}/rotate`} formToken={auth.formToken}>
          <ConfirmButtons tone="primary" text="Rotate secret" back={pathOf(endpoint)} />
        </PostForm>
      </>
    ),
  });
}

export function removeEndpointPage(auth: AuthContext, endpoint: Endpoint): string {
  return signedInPage(auth, "/webhooks/one", {
    title: "Remove endpoint",
    children: (
      <>
        <h1>Remove {endpoint.url}?</h1>
        <p>
          Nothing more is sent to this endpoint, events that wait for it included, and its deliveries are deleted. This
          cannot be undone. To stop for a while, pause the endpoint instead.
        </p>
        <PostForm action={`${pathOf(endpoint)}/remove`} formToken={auth.formToken}>
          <ConfirmButtons text="Remove endpoint" back={pathOf(endpoint)} />
        </PostForm>
      </>
    ),
  });
}
