/**
 * curl commands to paste into a shell: one that sends a first message, one for a request of the API, and one that repeats a request. All
 * values that come from users, requests or the API document are quoted.
 */
import { type ExampleRequest, isJson, KEY_VARIABLE } from "./example-request.ts";

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

/** Returns a command that sends a request of the API. */
export function requestCommand({ method, url, needsKey, body }: ExampleRequest): string {
  const impliedMethod = body === null ? "GET" : "POST";
  return [
    `curl ${method === impliedMethod ? "" : `-X ${method} `}${quoted(url)}`,
    ...(needsKey ? [`-H "Authorization: Bearer $${KEY_VARIABLE}"`] : []),
    ...(body === null
      ? []
      : [
          `-H ${quoted(`Content-Type: ${body.type}`)}`,
          isJson(body) ? `-d ${quoted(JSON.stringify(body.value))}` : `--data-binary ${quoted(String(body.value))}`,
        ]),
  ].join(" \\\n  ");
}

/** The environment variable that has the body of a request that was made. */
export const BODY_VARIABLE = "BODY";

/**
 * Returns a command that repeats a request of which neither the key nor the body is kept. The path may be any: curl sends it as it is. A body
 * that begins with @ names no file.
 */
export function repeatedCommand({ method, url }: Pick<ExampleRequest, "method" | "url">): string {
  const hasBody = method === "POST" || method === "PUT" || method === "PATCH";
  return [
    `curl --globoff --path-as-is ${method === (hasBody ? "POST" : "GET") ? "" : `${methodOption(method)} `}${quoted(url)}`,
    `-H "Authorization: Bearer $${KEY_VARIABLE}"`,
    ...(hasBody ? ["-H 'Content-Type: application/json'", `--data-raw "$${BODY_VARIABLE}"`] : []),
  ].join(" \\\n  ");
}

/** curl waits for the body of a response to HEAD with -X. */
const methodOption = (method: string): string => (method === "HEAD" ? "-I" : `-X ${method}`);

/** Quotes for a POSIX shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
