/** The responses at ACME_HTTP_PORT: those to challenges by HTTP-01 (RFC 8555 §8.3), and a redirect to HTTPS for all else. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { errorText } from "../lib/error-text.ts";
import type { Logger } from "../lib/log.ts";
import type { ChallengeReader } from "./challenges.ts";
import { TOKEN } from "./order.ts";

export interface ChallengeResponseParts {
  challenges: Pick<ChallengeReader, "find">;
  /** PUBLIC_URL, if it is HTTPS: where other requests are redirected to. Null: they get a 404. */
  redirectTo: string | null;
  log: Pick<Logger, "warn">;
}

const PREFIX = "/.well-known/acme-challenge/";

/** Returns a request listener. */
export function challengeResponses(parts: ChallengeResponseParts) {
  return (req: IncomingMessage, res: ServerResponse): void => {
    const { url = "/", method = "GET" } = req;
    const isRead = method === "GET" || method === "HEAD";
    if (isRead && url.startsWith(PREFIX)) void respondToChallenge(parts, url.slice(PREFIX.length), res);
    else if (isRead && url.startsWith("/") && parts.redirectTo !== null) redirect(res, parts.redirectTo + url);
    else respond(res, 404, "Not found\n");
  };
}

async function respondToChallenge(
  { challenges, log }: ChallengeResponseParts,
  token: string,
  res: ServerResponse,
): Promise<void> {
  try {
    const keyAuthorization = TOKEN.test(token) ? await challenges.find(token) : null;
    if (keyAuthorization === null) respond(res, 404, "No such challenge\n");
    else respond(res, 200, keyAuthorization);
  } catch (error) {
    log.warn({ error: errorText(error) }, "a challenge could not be answered");
    respond(res, 503, "The challenges cannot be read\n");
  }
}

function redirect(res: ServerResponse, location: string): void {
  res.setHeader("Location", location);
  respond(res, 308, "");
}

function respond(res: ServerResponse, status: number, text: string): void {
  res.writeHead(status, { "Content-Type": "text/plain; charset=utf-8", "Content-Length": Buffer.byteLength(text) });
  res.end(text);
}
