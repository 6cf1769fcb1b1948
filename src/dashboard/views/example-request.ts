/**
 * The request of an operation of the API, with the examples of its document.
 */
import type { RoutedOperation } from "../web/api-document.ts";

/** The environment variable that has the key. */
export const KEY_VARIABLE = "POSTRIDER_API_KEY";

/** What the examples are made for. */
export interface Target {
  /** Base URL of the service, without a final slash. */
  url: string;
  /** A domain of the account, in place of the document's `example.com`; null without one. */
  domain: string | null;
}

export interface ExampleRequest {
  method: string;
  url: string;
  /** Whether the request needs a key. */
  needsKey: boolean;
  /** `value` is sent as JSON if the media type is `application/json`, else it is the text to send. */
  body: { type: string; value: unknown } | null;
}

/** Whether the value of a body is sent as JSON. */
export const isJson = ({ type }: NonNullable<ExampleRequest["body"]>): boolean => type === "application/json";

/** The domain of senders in the document. */
const DOCUMENT_DOMAIN = "example.com";

/** Returns an example of the document with the account's own domain as that of the sender. */
export function ownExample(example: unknown, { domain }: Pick<Target, "domain">): unknown {
  if (domain === null) return example;
  const text = JSON.stringify(example);
  const own = text
    .replaceAll(`@${DOCUMENT_DOMAIN}`, `@${domain}`)
    .replaceAll(JSON.stringify(DOCUMENT_DOMAIN), JSON.stringify(domain));
  return JSON.parse(own);
}

/** Returns the request of an operation with the document's example. */
export function exampleRequest(operation: RoutedOperation, target: Target): ExampleRequest {
  const { method, path, parameters = [], requestBody, security } = operation;
  const examples = new Map(parameters.map(({ name, example }) => [name, example ?? name]));
  const [[type, { example }] = ["", { example: null }]] = Object.entries(requestBody?.content ?? {});
  return {
    method,
    url: target.url + path.replace(/\{(\w+)\}/g, (_, name: string) => examples.get(name) ?? name),
    needsKey: security?.length !== 0,
    body: type === "" ? null : { type, value: ownExample(example, target) },
  };
}
