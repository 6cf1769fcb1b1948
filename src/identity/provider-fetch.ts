/** Requests to the identity provider, each with bounds: of time, of the octets of its reply, and HTTPS except on loopback. */
import { errorText } from "../lib/error-text.ts";
import { isSafeUrl } from "../lib/loopback-name.ts";

/** From the connection to the end of the reply. */
const REPLY_LIMIT_MS = 5000;
/** Discovery documents, keys and tokens have a few KiB. */
export const REPLY_BYTES_MAX = 256 * 1024;

/** The provider gives no reply that is of use: it cannot be reached, is too slow, sends too much, or reports its own fault. */
export class ProviderUnavailable extends Error {
  override name = "ProviderUnavailable";
}

/** As `fetch`, without redirects. Rejects with ProviderUnavailable. */
export async function providerFetch(url: string, options: RequestInit = {}): Promise<Response> {
  const { origin, pathname } = new URL(url);
  const from = `${origin}${pathname}`;
  if (!isSafeUrl(new URL(url)))
    throw new ProviderUnavailable(`${from} is not requested: it is neither HTTPS nor loopback`);
  const limit = AbortSignal.timeout(REPLY_LIMIT_MS);
  const signal = options.signal ? AbortSignal.any([options.signal, limit]) : limit;
  try {
    const response = await fetch(url, { ...options, redirect: "manual", signal });
    const bytes = await boundedBytes(response);
    if (response.status >= 500) throw new Error(`status ${response.status}`);
    const { status, headers } = response;
    return new Response(bytes.length === 0 ? null : bytes, { status, headers });
  } catch (error) {
    throw new ProviderUnavailable(`no valid reply from ${from}: ${reasonOf(error)}`, { cause: error });
  }
}

async function boundedBytes(response: Response): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  // Leaving the loop cancels the rest.
  for await (const chunk of response.body ?? []) {
    length += chunk.length;
    if (length > REPLY_BYTES_MAX) throw new Error(`more than ${REPLY_BYTES_MAX} octets`);
    chunks.push(chunk);
  }
  return new Uint8Array(Buffer.concat(chunks));
}

/** `fetch failed` has the reason in its cause. */
function reasonOf(error: unknown): string {
  if (error instanceof DOMException && error.name === "TimeoutError") return `none within ${REPLY_LIMIT_MS} ms`;
  const { cause } = error as { cause?: unknown };
  return errorText(cause ?? error);
}
