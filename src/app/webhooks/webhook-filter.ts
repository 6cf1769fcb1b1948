/** Validates what a user enters for a webhook endpoint: its URL and the events that it receives. */
import type { Registry } from "../../spool/port/accounts.ts";
import { EVENT_TYPES, type EventFilter, type EventType } from "../../spool/port/events.ts";
import { boundDomainsOf } from "../send/key-access.ts";
import { webhookUrlFault } from "./webhook-url.ts";

/** As a user enters it; null selects all. */
export interface EndpointInput {
  url: string;
  types: readonly string[] | null;
  /** Key ids. */
  keys: readonly string[] | null;
  domains: readonly string[] | null;
}

export interface EndpointSettings extends EventFilter {
  url: string;
}

/** `detail` is a sentence that names the fault. */
export interface InvalidInput {
  type: "invalid";
  field: keyof EndpointInput;
  detail: string;
}

export interface InputContext {
  registry: Pick<Registry, "keys" | "domains">;
  accountId: string;
  /** The endpoint's filter before the change: its revoked keys and removed domains may stay. */
  former: Pick<EventFilter, "keys" | "domains"> | null;
  allowPrivate: boolean;
}

/** Returns the settings with normalised domain names and without repetitions, or the first fault. */
export async function validateEndpoint(
  input: EndpointInput,
  context: InputContext,
): Promise<({ type: "valid" } & EndpointSettings) | InvalidInput> {
  const url = input.url.trim();
  const fault = webhookUrlFault(url, context);
  if (fault !== null) return invalid("url", fault);
  const types = typesOf(input.types);
  if (isInvalid(types)) return types;
  const keys = await keysOf(input.keys, context);
  if (isInvalid(keys)) return keys;
  const former = context.former?.domains ?? null;
  const domains = await boundDomainsOf(input.domains, { ...context, former });
  if (domains !== null && "detail" in domains) return invalid("domains", domains.detail);
  if (keys !== null && types?.every((type) => type.startsWith("domain."))) {
    return invalid("keys", "Events of domains belong to no API key: select all keys, or other event types.");
  }
  return { type: "valid", url, types, keys, domains };
}

const isInvalid = (read: unknown): read is InvalidInput => read !== null && !Array.isArray(read);

const invalid = (field: InvalidInput["field"], detail: string): InvalidInput => ({ type: "invalid", field, detail });

function typesOf(given: EndpointInput["types"]): EventType[] | null | InvalidInput {
  if (given === null) return null;
  if (given.length === 0) return invalid("types", "Select at least one event type.");
  const unknown = given.find((type) => !isEventType(type));
  if (unknown !== undefined) {
    return invalid("types", `“${unknown}” is not an event type. There are ${EVENT_TYPES.join(", ")}.`);
  }
  return EVENT_TYPES.filter((type) => given.includes(type));
}

const isEventType = (text: string): text is EventType => (EVENT_TYPES as readonly string[]).includes(text);

async function keysOf(
  given: EndpointInput["keys"],
  { registry, accountId, former }: InputContext,
): Promise<string[] | null | InvalidInput> {
  if (given === null) return null;
  if (given.length === 0) return invalid("keys", "Select at least one API key.");
  const keys = new Map((await registry.keys(accountId)).map((key) => [key.id, key]));
  for (const id of given) {
    if (former?.keys?.includes(id)) continue;
    const key = keys.get(id);
    if (key === undefined) return invalid("keys", `The account has no API key “${id}”.`);
    if (key.revokedAtMs !== null) return invalid("keys", `The API key ${id} is revoked.`);
  }
  return [...new Set(given)];
}
