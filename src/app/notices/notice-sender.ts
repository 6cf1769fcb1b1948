/**
 * Sends stored notices: by email to the users who want them, and to the operators' webhook. What fails is tried again for a day, the webhook
 * with growing pauses. It runs in one process; a notice whose way was not recorded is sent again under the same name, as the same message.
 */
import type { Clock } from "../../lib/clock.ts";
import { errorText } from "../../lib/error-text.ts";
import type { Logger } from "../../lib/log.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../lib/units.ts";
import type { Registry } from "../../spool/port/accounts.ts";
import type { NoticeChoice, Notices, StoredNotice } from "../../spool/port/notices.ts";
import type { People, User } from "../../spool/port/people.ts";
import { isSuccess } from "../webhooks/webhook-test-event.ts";
import { isKind, isWanted } from "./kinds.ts";
import { noticeText, noticeView } from "./notice.ts";
import { emailNotice, type NoticeEmailParts } from "./notice-email.ts";
import type { OperatorsWebhook, OperatorsWebhookSettings } from "./operators-webhook.ts";

/** Nobody wants to know it later. */
const GIVEN_UP_AFTER_MS = DAY_MS;
const AT_ONCE = 200;
/** Notices that wait for another try and are read over. */
const WAITING_MAX = 5000;
const MAIL_AGAIN_MS = MINUTE_MS;
const POST_AGAIN_MS = { first: MINUTE_MS, last: HOUR_MS };

export interface NoticeSenderParts extends Omit<NoticeEmailParts, "store"> {
  store: Pick<Notices, "openNotices" | "noticeLeft"> & NoticeEmailParts["store"];
  people: Pick<People, "users" | "noticeChoices">;
  registry: Pick<Registry, "accounts" | "domains">;
  webhook: Pick<OperatorsWebhook, "settings" | "send">;
  clock: Pick<Clock, "now" | "monotonicMs">;
  log: Pick<Logger, "warn">;
  /** Base URL of links, without a final slash. */
  publicUrl: string;
}

export class NoticeSender {
  readonly #parts: NoticeSenderParts;
  /** By the notice's id: when its email is tried again, by the monotonic clock. */
  readonly #mailAgain = new Map<string, number>();
  #postAgainMs = Number.NEGATIVE_INFINITY;
  #postPauseMs = POST_AGAIN_MS.first;

  constructor(parts: NoticeSenderParts) {
    this.#parts = parts;
  }

  /** Never rejects: what fails is logged and tried again by a later call. */
  async run(): Promise<void> {
    await this.#logged("notices by email failed", () => this.#mailAll());
    await this.#logged("notices by webhook failed", () => this.#postAll());
  }

  async #logged(message: string, run: () => Promise<void>): Promise<void> {
    await run().catch((error: unknown) => this.#parts.log.warn({ error: errorText(error) }, message));
  }

  async #mailAll(): Promise<void> {
    const { store, people, clock } = this.#parts;
    // Those that wait for another try do not keep later ones from being read.
    const most = AT_ONCE + Math.min(this.#mailAgain.size, WAITING_MAX);
    const notices = await store.openNotices("mail", clock.now() - GIVEN_UP_AFTER_MS, most);
    const open = new Set(notices.map(({ id }) => id));
    for (const id of this.#mailAgain.keys()) if (!open.has(id)) this.#mailAgain.delete(id);
    const due = notices.filter(({ id }) => (this.#mailAgain.get(id) ?? 0) <= clock.monotonicMs());
    if (due.length === 0) return;
    const [users, choices] = await Promise.all([people.users(null), people.noticeChoices(null)]);
    for (const notice of due) {
      if (await this.#mailUnlessBroken(notice, users, choices)) await store.noticeLeft(notice.id, "mail", clock.now());
      else this.#mailAgain.set(notice.id, clock.monotonicMs() + MAIL_AGAIN_MS);
    }
  }

  /** As #mail; a notice that cannot be sent keeps no other waiting. */
  async #mailUnlessBroken(
    notice: StoredNotice,
    users: readonly User[],
    choices: readonly NoticeChoice[],
  ): Promise<boolean> {
    try {
      return await this.#mail(notice, users, choices);
    } catch (error) {
      this.#parts.log.warn({ noticeId: notice.id, error: errorText(error) }, "notice not sent");
      return false;
    }
  }

  /** Returns false if a later call may send what this one could not. */
  async #mail(notice: StoredNotice, users: readonly User[], choices: readonly NoticeChoice[]): Promise<boolean> {
    const { id, kind, accountId, subject } = notice;
    if (!isKind(kind)) return true;
    const text = noticeText(notice, this.#parts.publicUrl);
    const to = users.filter((user) => isWanted(user, kind, { accountId, choices }));
    let isDone = true;
    for (const user of to) isDone = (await emailNotice(this.#parts, user, { id, accountId, subject, text })) && isDone;
    return isDone;
  }

  async #postAll(): Promise<void> {
    const { store, webhook, registry, clock, publicUrl } = this.#parts;
    if (clock.monotonicMs() < this.#postAgainMs) return;
    const notices = await store.openNotices("post", clock.now() - GIVEN_UP_AFTER_MS, AT_ONCE);
    if (notices.length === 0) return;
    const settings = await webhook.settings();
    const accounts = await registry.accounts();
    const nameOf = (accountId: string) => accounts.find(({ id }) => id === accountId)?.name ?? null;
    for (const notice of notices) {
      const isForIt = settings?.kinds.some((kind) => kind === notice.kind) === true;
      if (isForIt && !(await this.#post(settings, notice, { publicUrl, nameOf }))) return;
      await store.noticeLeft(notice.id, "post", clock.now());
    }
  }

  async #post(
    settings: OperatorsWebhookSettings,
    notice: StoredNotice,
    context: Parameters<typeof noticeView>[1],
  ): Promise<boolean> {
    const { webhook, clock, log } = this.#parts;
    const response = await webhook.send(settings, noticeView(notice, context));
    if (isSuccess(response)) {
      this.#postPauseMs = POST_AGAIN_MS.first;
      return true;
    }
    // No notice of this: it would have to go the same way.
    log.warn({ noticeId: notice.id, status: response.status, error: response.error }, "operators' webhook failed");
    this.#postAgainMs = clock.monotonicMs() + this.#postPauseMs;
    this.#postPauseMs = Math.min(2 * this.#postPauseMs, POST_AGAIN_MS.last);
    return false;
  }
}
