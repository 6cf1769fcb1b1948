/** What a response says beside its body, for the object that a method returned. */

export interface ResponseInfo {
  requestId: string | null;
  /** For `ifMatch` of a change; null where the operation has none. */
  etag: string | null;
  /** Whether the response repeats that of an earlier request with the same idempotency key. */
  isReplayed: boolean;
}

const infos = new WeakMap<object, ResponseInfo>();

export function rememberResponse(value: unknown, { get }: { get: (name: string) => string | null }): void {
  if (typeof value !== "object" || value === null) return;
  infos.set(value, {
    requestId: get("x-request-id"),
    etag: get("etag"),
    isReplayed: get("idempotency-replayed") === "true",
  });
}

/** Returns what the response said of an object that a method returned. Throws for another one. */
export function responseOf(value: object): ResponseInfo {
  const info = infos.get(value);
  if (info === undefined) throw new TypeError("The object was not returned by a method of the client.");
  return info;
}
