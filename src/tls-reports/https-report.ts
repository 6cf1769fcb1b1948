/**
 * Posts a TLS report to the URL that a recipient domain names (RFC 8460 §5.4), which is anyone's: only to public addresses, without
 * redirects, and without reading more of a response than its status.
 */
import { type RequestOptions, request } from "node:https";
import { TargetPolicy, type TargetPolicyParts } from "../dns/target-policy.ts";
import { connectionErrorText } from "../lib/error-text.ts";
import { connectHttps } from "../lib/handshake-limit.ts";
import { KEY_EXCHANGE } from "../lib/tls-key-exchange.ts";

export interface HttpsReportParts extends TargetPolicyParts {
  /** Trust anchors in PEM instead of the built-in ones. */
  ca?: string;
  /** For the whole request; 30 s unless given. */
  limitMs?: number;
}

/** `failed`: another try may succeed. `refused`: the server does not take the report. */
export type PostedReport = { type: "sent" } | { type: "failed" | "refused"; error: string };

const LIMIT_MS = 30_000;

/** Posts the compressed report. Never rejects. */
export async function postReport(url: string, report: Buffer, parts: HttpsReportParts): Promise<PostedReport> {
  const policy = new TargetPolicy(parts);
  const target = URL.canParse(url) ? new URL(url) : null;
  if (target?.protocol !== "https:" || target.username !== "" || target.password !== "") {
    return { type: "refused", error: "this is not an https URL without a password" };
  }
  const fault = policy.literalFault(target.hostname.replace(/^\[|\]$/g, ""));
  if (fault !== null) return { type: "refused", error: fault };
  const headers = {
    "Content-Type": "application/tlsrpt+gzip",
    "Content-Length": report.length,
    "User-Agent": "Postrider",
  };
  const { ca, limitMs = LIMIT_MS } = parts;
  const options = {
    method: "POST",
    headers,
    createConnection: connectHttps,
    lookup: policy.lookup,
    signal: AbortSignal.timeout(limitMs),
    ...KEY_EXCHANGE,
  };
  return exchange(target, { ...options, ...(ca === undefined ? {} : { ca }) }, report);
}

function exchange(url: URL, options: RequestOptions, body: Buffer): Promise<PostedReport> {
  return new Promise((resolve) => {
    const sending = request(url, options, (response) => {
      const status = response.statusCode ?? 0;
      response.destroy();
      if (status >= 200 && status < 300) return resolve({ type: "sent" });
      const isTemporary = status >= 500 || status === 408 || status === 429;
      return resolve({ type: isTemporary ? "failed" : "refused", error: `the server responded with ${status}` });
    });
    sending.on("error", (error) => resolve({ type: "failed", error: connectionErrorText(error) }));
    sending.end(body);
  });
}
