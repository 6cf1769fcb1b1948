/**
 * Commands to be pasted into a shell: one that sends a first mail, and one for each operation of the API. Everything in
 * them that somebody else chose is quoted.
 */
import type { PlacedOperation } from "../web/api-document.ts";

export interface FirstMail {
  /** Of the service, without a final slash. */
  url: string;
  key: string;
  /** A bound domain. */
  sender: string;
  to: string;
}

export function curlLine({ url, key, sender, to }: FirstMail): string {
  const body = JSON.stringify({ from: `hello@${sender}`, to, subject: "Hello from Postrider", text: "It works." });
  return [
    `curl ${quoted(`${url}/api/sending/send`)}`,
    `-H ${quoted(`Authorization: Bearer ${key}`)}`,
    "-H 'Content-Type: application/json'",
    `-d ${quoted(body)}`,
  ].join(" \\\n  ");
}

/** The shell's variable KEY. */
export const KEY_VARIABLE = "$KEY";
/** Shows what a key looks like. */
export const KEY_PLACEHOLDER = "svc_live_…";

export interface Target {
  /** Of the service, without a final slash. */
  url: string;
  key: typeof KEY_VARIABLE | typeof KEY_PLACEHOLDER;
}

/** Asks for an operation with the document's own example. */
export function curlOf(operation: PlacedOperation, { url, key }: Target): string {
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

/** For a POSIX shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
