/** @jsxRuntime automatic @jsxImportSource preact */
/**
 * The form of a webhook endpoint: its URL and the events that it receives. Whether the values are valid is decided by
 * app/webhooks/webhook-filter.ts.
 */
import type { Context } from "koa";
import type { EndpointInput, InvalidInput } from "../../app/webhooks/webhook-filter.ts";
import type { ApiKey } from "../../spool/port/api-keys.ts";
import { EVENT_TYPES } from "../../spool/port/events.ts";
import type { Endpoint } from "../../spool/port/webhooks.ts";
import type { AuthContext } from "../auth/sessions.ts";
import { field } from "../web/form.ts";
import { Choice, domainOptions, readChoice } from "./choice.tsx";
import { Field, type Option, PostForm } from "./components.tsx";

const URL_LENGTH_MAX = 10_000;

/** The values of the form and its options. */
export interface EndpointForm {
  input: EndpointInput;
  /** The account's keys. Revoked ones are shown only if `input` has them. */
  keys: ApiKey[];
  /** The names of the account's domains. */
  domains: string[];
  fault?: InvalidInput | undefined;
}

export const EMPTY_INPUT: EndpointInput = { url: "", types: null, keys: null, domains: null };

/** Reads the submitted values. */
export function readEndpointForm(ctx: Context): EndpointInput {
  return {
    url: field(ctx, "url").slice(0, URL_LENGTH_MAX),
    types: readChoice(ctx, "types"),
    keys: readChoice(ctx, "keys"),
    domains: readChoice(ctx, "domains"),
  };
}

export interface WebhookFormProps {
  auth: AuthContext;
  action: string;
  form: EndpointForm;
  submit: string;
}

export function WebhookForm({ auth, action, form, submit }: WebhookFormProps) {
  const { input, fault } = form;
  const errorOf = (name: keyof EndpointInput): string | undefined => (fault?.field === name ? fault.detail : undefined);
  return (
    <PostForm action={action} formToken={auth.formToken}>
      <Field
        label="URL"
        name="url"
        value={input.url}
        error={errorOf("url")}
        required
        placeholder="https://example.com/webhooks"
        hint="Your website receives each event as a POST request to this URL."
      />
      <Choice
        legend="Event types"
        name="types"
        all="All event types, including future ones"
        options={EVENT_TYPES.map((type) => ({ value: type, text: type }))}
        selected={input.types}
        error={errorOf("types")}
      />
      <Choice
        legend="API keys"
        name="keys"
        all="All API keys, including future ones"
        hint="Only events of messages that were sent with these keys. Events of domains belong to no key."
        options={keyOptions(form)}
        selected={input.keys}
        error={errorOf("keys")}
      />
      <Choice
        legend="Domains"
        name="domains"
        all="All domains, including future ones"
        hint="Only events of messages from these domains, and of these domains."
        options={domainOptions(form.domains, input.domains)}
        selected={input.domains}
        error={errorOf("domains")}
      />
      <button type="submit" class="primary">
        {submit}
      </button>
    </PostForm>
  );
}

function keyOptions({ input, keys }: EndpointForm): Option[] {
  return keys
    .filter(({ id, revokedAtMs }) => revokedAtMs === null || input.keys?.includes(id))
    .map(({ id, name, lastFour, revokedAtMs }) => ({
      value: id,
      text: `${name} (…${lastFour}${revokedAtMs === null ? "" : ", revoked"})`,
    }));
}

/** Describes a filter in words, with the names of keys. */
export function FilterFacts({ endpoint, keys }: { endpoint: Endpoint; keys: ApiKey[] }) {
  const nameOf = (id: string): string => keys.find((key) => key.id === id)?.name ?? id;
  return (
    <>
      <dt>Event types</dt>
      <dd>{endpoint.types?.join(", ") ?? "All"}</dd>
      <dt>API keys</dt>
      <dd>{endpoint.keys?.map(nameOf).join(", ") ?? "All"}</dd>
      <dt>Domains</dt>
      <dd>{endpoint.domains?.join(", ") ?? "All"}</dd>
    </>
  );
}
