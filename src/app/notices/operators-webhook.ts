/**
 * The operators' webhook: an endpoint that gets the notices of the installation and of all accounts, as Standard Webhooks has it. Its settings
 * are one entry for all nodes; its secret is sealed among those of the service.
 */
import { secretSealName, type Vault } from "../../security/vault.ts";
import { type KeyValueStore, SHARED_ENTRIES } from "../../spool/port/key-value.ts";
import type { Secrets } from "../../spool/port/secrets.ts";
import type { PostWebhook, WebhookResponse } from "../webhooks/webhook-test-event.ts";
import { webhookUrlFault } from "../webhooks/webhook-url.ts";
import { isKind, KINDS, type NoticeKind } from "./kinds.ts";
import type { NoticeView } from "./notice.ts";

const SECRET_NAME = "operators webhook";
const UNOPENED = "The secret does not open with the master key. Remove the webhook, and set it again.";

export interface OperatorsWebhookSettings {
  url: string;
  kinds: readonly NoticeKind[];
}

/** Each failed message would be a request: an operator asks for them. */
export const DEFAULT_KINDS: readonly NoticeKind[] = (Object.keys(KINDS) as NoticeKind[]).filter(
  (kind) => KINDS[kind].of !== "failed_messages",
);

export interface OperatorsWebhookParts {
  store: Pick<KeyValueStore, "readValue" | "writeValue"> & Secrets;
  vault: Pick<Vault, "seal" | "open">;
  newSecret: () => string;
  post: PostWebhook;
  /** WEBHOOK_ALLOW_PRIVATE. */
  allowPrivate: boolean;
}

export type WebhookChange =
  | { type: "invalid"; detail: string }
  /** `secret`: shown once; null where the endpoint keeps its secret. */
  | { type: "set"; secret: string | null };

export class OperatorsWebhook {
  readonly #parts: OperatorsWebhookParts;

  constructor(parts: OperatorsWebhookParts) {
    this.#parts = parts;
  }

  /** The same, which changes another store. */
  on(store: OperatorsWebhookParts["store"]): OperatorsWebhook {
    return new OperatorsWebhook({ ...this.#parts, store });
  }

  /** Null where there is none. */
  async settings(): Promise<OperatorsWebhookSettings | null> {
    return settingsIn(await this.#parts.store.readValue(SHARED_ENTRIES.operatorsWebhook));
  }

  /** Sets the URL and the kinds. Another URL gets another secret. */
  async set({ url: given, kinds }: { url: string; kinds: readonly string[] }): Promise<WebhookChange> {
    const url = given.trim();
    const fault = webhookUrlFault(url, this.#parts);
    if (fault !== null) return { type: "invalid", detail: fault };
    const isNew = (await this.settings())?.url !== url;
    const secret = isNew ? await this.#renewSecret() : null;
    await this.#write({ webhook: { url, kinds: kinds.filter(isKind) } });
    return { type: "set", secret };
  }

  remove(): Promise<void> {
    return this.#write({});
  }

  /** Posts a notice once, signed. Faults of the endpoint and the network are in the response. */
  async send({ url }: Pick<OperatorsWebhookSettings, "url">, view: NoticeView): Promise<WebhookResponse> {
    const secret = await this.#secret();
    if (secret === null) return { status: null, error: UNOPENED, response: "", durationMs: 0 };
    const { id, type, at } = view;
    const body = JSON.stringify({ type, timestamp: at, data: view });
    return this.#parts.post({ url, id, atMs: Date.parse(at), body, secrets: [secret] });
  }

  async #secret(): Promise<string | null> {
    const sealed = await this.#parts.store.readSecret(SECRET_NAME);
    try {
      return sealed === null ? null : this.#parts.vault.open(secretSealName(SECRET_NAME), sealed);
    } catch {
      return null;
    }
  }

  async #renewSecret(): Promise<string> {
    const { store, vault, newSecret } = this.#parts;
    const secret = newSecret();
    const sealed = vault.seal(secretSealName(SECRET_NAME), secret);
    await store.addSecret(SECRET_NAME, sealed, (await store.readSecret(SECRET_NAME)) ?? undefined);
    return secret;
  }

  #write(entry: { webhook?: OperatorsWebhookSettings }): Promise<void> {
    return this.#parts.store.writeValue(SHARED_ENTRIES.operatorsWebhook, JSON.stringify(entry));
  }
}

/** Null for an entry that cannot be read, too. */
function settingsIn(text: string | null): OperatorsWebhookSettings | null {
  try {
    const { webhook } = JSON.parse(text ?? "{}") as { webhook?: { url?: unknown; kinds?: unknown } };
    if (typeof webhook?.url !== "string" || !Array.isArray(webhook.kinds)) return null;
    return { url: webhook.url, kinds: webhook.kinds.filter(isKind) };
  } catch {
    return null;
  }
}
