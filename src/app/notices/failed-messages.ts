/**
 * The notices of failed messages: of each one, and of those of a day, for accounts where somebody wants them. Messages of Postrider's own and
 * those of test keys do not count, so that no notice that fails causes another one.
 */

import { errorText } from "../../lib/error-text.ts";
import type { Logger } from "../../lib/log.ts";
import { TokenBuckets } from "../../lib/token-buckets.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../lib/units.ts";
import type { Registry } from "../../spool/port/accounts.ts";
import type { People } from "../../spool/port/people.ts";
import type { FoundMessage, Reports } from "../../spool/port/reports.ts";
import { KINDS, type NoticeKind } from "./kinds.ts";
import type { NoticeDraft } from "./notice.ts";
import type { NoticeBoard } from "./notice-board.ts";
import type { OperatorsWebhook } from "./operators-webhook.ts";

export interface FailedMessageParts {
  board: Pick<NoticeBoard, "post">;
  reports: Pick<Reports, "find">;
  monotonicMs: () => number;
  log: Pick<Logger, "warn">;
  /** The accounts where somebody gets such notices. */
  accounts: () => Promise<{ each: readonly string[]; digest: readonly string[] }>;
}

/** Notices of single messages, of an account in an hour. */
const EACH_MAX = 20;
/** A recipient that fails within the hour after another one of its message is noticed after that hour. */
const LOOK_BACK_MS = 2 * HOUR_MS;
const PAGE_MESSAGES = 100;
/** Messages that a digest names. */
const NAMED_MAX = 20;
/** Characters of a message's subject in that of its notice. */
const SUBJECT_MAX = 200;
/** The last results of a day are stored by then. */
const DIGEST_AFTER_MS = 5 * MINUTE_MS;

export class FailedMessages {
  readonly #parts: FailedMessageParts;
  /** By account: the last day whose digest is out, or needs none. */
  readonly #digested = new Map<string, number>();
  readonly #rate = new TokenBuckets({ perSecond: EACH_MAX / 3600, burst: EACH_MAX });

  constructor(parts: FailedMessageParts) {
    this.#parts = parts;
  }

  async notice(nowMs: number): Promise<void> {
    const { each, digest } = await this.#parts.accounts();
    for (const accountId of each) await this.#logged(accountId, () => this.#noticeEach(accountId, nowMs));
    for (const accountId of digest) await this.#logged(accountId, () => this.#noticeDay(accountId, nowMs));
  }

  /** The reports of one account, which may be busy, keep no other account waiting. */
  async #logged(accountId: string, look: () => Promise<void>): Promise<void> {
    await look().catch((error: unknown) => {
      this.#parts.log.warn({ accountId, error: errorText(error) }, "failed messages not looked at");
    });
  }

  async #noticeEach(accountId: string, nowMs: number): Promise<void> {
    const { board, monotonicMs } = this.#parts;
    const failed = await this.#failed(accountId, { resultSinceMs: nowMs - LOOK_BACK_MS });
    for (const message of failed.messages.toReversed()) {
      if (this.#rate.secondsToToken(accountId, monotonicMs()) > 0) {
        await board.post(moreNotice(accountId, nowMs));
        return;
      }
      if ((await board.post(messageNotice(accountId, message))) === "added") this.#rate.take(accountId, monotonicMs());
    }
  }

  /** Of the last day by UTC. */
  async #noticeDay(accountId: string, nowMs: number): Promise<void> {
    const day = Math.floor((nowMs - DIGEST_AFTER_MS) / DAY_MS) - 1;
    if (this.#digested.get(accountId) === day) return;
    const resultSinceMs = day * DAY_MS;
    const failed = await this.#failed(accountId, { resultSinceMs, resultUntilMs: resultSinceMs + DAY_MS });
    if (failed.messages.length > 0) await this.#parts.board.post(digestNotice(accountId, day, failed));
    this.#digested.set(accountId, day);
  }

  async #failed(accountId: string, of: { resultSinceMs: number; resultUntilMs?: number }): Promise<Failed> {
    const filter = { accountId, result: "failed", test: false, limit: PAGE_MESSAGES, ...of } as const;
    const { messages, cursor } = await this.#parts.reports.find(filter);
    return { messages: messages.filter(({ keyId }) => keyId.startsWith("key_")), isMore: cursor !== null };
  }
}

interface Failed {
  /** The newest first. */
  messages: FoundMessage[];
  isMore: boolean;
}

function messageNotice(accountId: string, message: FoundMessage): NoticeDraft {
  const { id, from, subject, recipients, results, obstacle } = message;
  const reply = obstacle?.smtp?.message;
  return {
    kind: "failed_message",
    accountId,
    cause: `message ${id}`,
    occurrence: `${results.failed} failed`,
    subject: `Message failed: ${subject.slice(0, SUBJECT_MAX) || "(no subject)"}`,
    paragraphs: [
      `The message “${subject}” from ${from} (${id}) has failed for ${results.failed} of ${recipients} recipients.`,
      ...(obstacle === undefined ? [] : [`${obstacle.email}: ${obstacle.reason.replaceAll("_", " ")}.`]),
      ...(reply === undefined ? [] : [`The server's reply: ${reply}`]),
      "Each recipient with its result:",
    ],
    link: `/dashboard/messages/${id}`,
  };
}

const moreNotice = (accountId: string, nowMs: number): NoticeDraft => ({
  kind: "failed_message",
  accountId,
  cause: `failed messages ${accountId}`,
  occurrence: `hour ${Math.floor(nowMs / HOUR_MS)}`,
  subject: "More messages have failed",
  paragraphs: [
    `More than ${EACH_MAX} messages have failed in a short time. Some of them get no separate notice.`,
    "The failed messages:",
  ],
  link: "/dashboard/messages?result=failed&kind=live",
});

function digestNotice(accountId: string, day: number, { messages, isMore }: Failed): NoticeDraft {
  const count = `${isMore ? "at least " : ""}${messages.length}`;
  const date = new Date(day * DAY_MS).toISOString().slice(0, 10);
  return {
    kind: "failed_digest",
    accountId,
    cause: `failed messages of a day ${accountId}`,
    occurrence: `day ${day}`,
    subject: `Failed messages of ${date}: ${count}`,
    paragraphs: [
      `On ${date} (UTC), recipients of ${count} messages have failed:`,
      messages.slice(0, NAMED_MAX).map(lineOf).join("\n"),
      ...(messages.length > NAMED_MAX || isMore ? [`These are the newest ${NAMED_MAX}.`] : []),
      "The failed messages:",
    ],
    link: `/dashboard/messages?result=failed&kind=live&result_since=${date}T00:00`,
  };
}

const lineOf = ({ id, subject, to, obstacle }: FoundMessage): string =>
  `${id}  ${obstacle?.email ?? to}  ${(obstacle?.reason ?? "failed").replaceAll("_", " ")}  ${subject}`;

/** The accounts where somebody gets notices of failed messages: a user by email, or the operators by their webhook. */
export async function watchedAccounts({
  people,
  registry,
  webhook,
}: {
  people: Pick<People, "users" | "noticeChoices">;
  registry: Pick<Registry, "accounts">;
  webhook: Pick<OperatorsWebhook, "settings">;
}): Promise<{ each: string[]; digest: string[] }> {
  const [choices, settings] = await Promise.all([people.noticeChoices(null), webhook.settings()]);
  const chosen = choices.filter(({ name, choice }) => name === "failed_messages" && choice !== "off");
  if (chosen.length === 0 && settings === null) return { each: [], digest: [] };
  const [users, all] = await Promise.all([people.users(null), registry.accounts()]);
  const open = all.filter(({ deletedAtMs }) => deletedAtMs === null).map(({ id }) => id);
  const accountsOf = new Map(users.map(({ id, memberships }) => [id, memberships.map((each) => each.accountId)]));
  const of = (kind: NoticeKind): string[] => {
    if (settings?.kinds.includes(kind) === true) return open;
    const { choice } = KINDS[kind];
    const wanting = chosen.filter((each) => each.choice === choice);
    const wanted = new Set(wanting.flatMap(({ userId }) => accountsOf.get(userId) ?? []));
    return open.filter((accountId) => wanted.has(accountId));
  };
  return { each: of("failed_message"), digest: of("failed_digest") };
}
