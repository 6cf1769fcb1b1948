/**
 * curl commands to paste into a shell: one that sends a first message, and one for each operation of the API. All values
 * that come from users or the API document are quoted.
 */
import type { RoutedOperation } from "../web/api-document.ts";

export interface FirstMessage {
  /** Base URL of the service, without a final slash. */
  url: string;
  key: string;
  /** A bound domain. */
  sender: string;
  to: string;
}

/** Returns a command that sends a message from `hello@` at the sender domain. */
export function sendCommand({ url, key, sender, to }: FirstMessage): string {
  const body = JSON.stringify({ from: `hello@${sender}`, to, subject: "Hello from Postrider", text: "It works." });
  return [
    `curl ${quoted(`${url}/api/sending/send`)}`,
    `-H ${quoted(`Authorization: Bearer ${key}`)}`,
    "-H 'Content-Type: application/json'",
    `-d ${quoted(body)}`,
  ].join(" \\\n  ");
}

/** Expanded by the shell. */
export const KEY_VARIABLE = "$KEY";
/** Shows the format of a key. */
export const KEY_PLACEHOLDER = "svc_live_…";

export interface Target {
  /** Base URL of the service, without a final slash. */
  url: string;
  key: typeof KEY_VARIABLE | typeof KEY_PLACEHOLDER;
}

/** Returns a command that requests an operation with the document's example. */
export function operationCommand(operation: RoutedOperation, { url, key }: Target): string {
  const { method, path, parameters = [], requestBody, security } = operation;
  const examples = new Map(parameters.map(({ name, example }) => [name, example ?? name]));
  const target = path.replace(/\{(\w+)\}/g, (_, name: string) => examples.get(name) ?? name);
  const [[type, { example }] = ["", { example: null }]] = Object.entries(requestBody?.content ?? {});
  return [
    `curl ${method === "GET" || method === "POST" ? "" : `-X ${method} `}${quoted(url + target)}`,
    ...(security?.length === 0 ? [] : [`-H "Authorization: Bearer ${key}"`]),
    ...(type === "" ? [] : [`-H ${quoted(`Content-Type: ${type}`)}`, `-d ${quoted(JSON.stringify(example))}`]),
  ].join(" \\\n  ");
}

/** Quotes for a POSIX shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
