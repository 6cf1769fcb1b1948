/** Notices in memory, by the rules of the store, and a service that takes the emails. */
import type { AcceptRequest, AcceptResult, RejectionCode } from "../../src/app/send/accept-message.ts";
import type { Logger } from "../../src/lib/log.ts";
import type { Account } from "../../src/spool/port/accounts.ts";
import type { Domain } from "../../src/spool/port/domains.ts";
import { membershipIn } from "../../src/spool/port/memberships.ts";
import {
  type NewNotice,
  NOTICE_APART_MS,
  type NoticeAddition,
  type NoticeChoice,
  type NoticeWay,
  type StoredNotice,
} from "../../src/spool/port/notices.ts";
import type { User } from "../../src/spool/port/people.ts";

export class FakeNotices {
  readonly stored: StoredNotice[] = [];
  readonly #causes = new Map<string, { occurrence: string; atMs: number }>();
  /** Calls of addNotice. */
  calls = 0;

  async addNotice({ cause, occurrence, ...notice }: NewNotice): Promise<NoticeAddition> {
    this.calls += 1;
    const former = this.#causes.get(cause);
    if (former?.occurrence === occurrence) return "known";
    if (former !== undefined && notice.atMs - former.atMs < NOTICE_APART_MS) return "too_soon";
    this.#causes.set(cause, { occurrence, atMs: notice.atMs });
    this.stored.push({ ...notice, mailedAtMs: null, postedAtMs: null });
    return "added";
  }

  async openNotices(way: NoticeWay, sinceMs: number, limit: number): Promise<StoredNotice[]> {
    const isOpen = (each: StoredNotice) => (way === "mail" ? each.mailedAtMs : each.postedAtMs) === null;
    return this.stored.filter((each) => isOpen(each) && each.atMs >= sinceMs).slice(0, limit);
  }

  async noticeLeft(id: string, way: NoticeWay, atMs: number): Promise<void> {
    const at = this.stored.findIndex((each) => each.id === id);
    const notice = this.stored[at];
    if (notice !== undefined)
      this.stored[at] = { ...notice, ...(way === "mail" ? { mailedAtMs: atMs } : { postedAtMs: atMs }) };
  }
}

export const OPERATOR = {
  id: "usr_1",
  email: "op@ops.example",
  memberships: [{ accountId: "acc_ops", role: "owner", byGroup: false, joinedAtMs: 1 }],
  operator: true,
};
const USERS = [
  OPERATOR,
  {
    id: "usr_2",
    email: "owner@shop.example",
    memberships: [{ accountId: "acc_shop", role: "owner", byGroup: false, joinedAtMs: 1 }],
    operator: false,
  },
  {
    id: "usr_3",
    email: "dev@shop.example",
    memberships: [{ accountId: "acc_shop", role: "developer", byGroup: false, joinedAtMs: 1 }],
    operator: false,
  },
  {
    id: "usr_4",
    email: "owner@other.example",
    memberships: [{ accountId: "acc_other", role: "owner", byGroup: false, joinedAtMs: 1 }],
    operator: false,
  },
] as unknown as User[];

/** What notices by email need, and what they have sent. */
export function mailStage() {
  const sent: AcceptRequest[] = [];
  const names = new Set<string | null>();
  const choices: NoticeChoice[] = [];
  const suppressed = new Set<string>();
  const logged: { fields: Record<string, unknown>; message: string }[] = [];
  const state: { rejection: RejectionCode | null; unverified: Set<string> } = {
    rejection: null,
    unverified: new Set(),
  };
  const parts = {
    publicUrl: "https://mail.example",
    suppressAfter: 1,
    log: {
      warn: (fields: Record<string, unknown>, message: string) => void logged.push({ fields, message }),
    } as unknown as Logger,
    registry: {
      accounts: async () =>
        ["default", "ops", "shop", "other"].map((name) => ({
          id: `acc_${name}`,
          name,
          deletedAtMs: null,
        })) as Account[],
      domains: async (accountId: string) => {
        const name = `${accountId.slice("acc_".length)}.example`;
        return [{ name, accountId, verified: !state.unverified.has(name) }] as Domain[];
      },
    },
    people: {
      users: async (accountId: string | null) =>
        USERS.filter((user) => accountId === null || membershipIn(user, accountId) !== null),
      noticeChoices: async (userId: string | null) =>
        choices.filter((choice) => userId === null || choice.userId === userId),
    },
    suppression: async ({ email }: { email: string }) =>
      suppressed.has(email) ? ({ email, cause: "complained" } as never) : null,
    acceptMessage: {
      async accept(request: AcceptRequest): Promise<AcceptResult> {
        if (state.rejection !== null) return { type: "rejected", code: state.rejection, detail: "It is rejected." };
        if (names.has(request.idempotencyKey)) return { type: "replayed", id: "msg_1" };
        names.add(request.idempotencyKey);
        sent.push(request);
        return { type: "accepted", id: "msg_1" };
      },
    },
  };
  const recipients = () => sent.splice(0).map(({ draft }) => draft.summary.to[0]?.address);
  return { parts, sent, choices, suppressed, logged, state, recipients };
}

/** The message's text, with soft line breaks (RFC 2045 §6.7) removed. */
export const textOf = ({ draft }: AcceptRequest): string =>
  draft.content().bytes.toString("utf8").replaceAll("=\r\n", "").replaceAll("\r\n", "\n");
