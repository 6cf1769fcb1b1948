/** Decides which URLs a webhook endpoint may have. */

/** A sentence that names the fault; null for a valid URL. */
export function webhookUrlFault(url: string, { allowPrivate }: { allowPrivate: boolean }): string | null {
  if (!URL.canParse(url)) return "This is not a URL. Enter one such as https://example.com/webhooks.";
  const { protocol, hostname } = new URL(url);
  if (protocol !== "https:" && !(allowPrivate && protocol === "http:")) return "The URL must begin with https://.";
  if (!allowPrivate && /^(127\.|10\.|192\.168\.|localhost$)/.test(hostname)) return `${hostname} is not public.`;
  return null;
}
