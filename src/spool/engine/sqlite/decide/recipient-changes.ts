/**
 * What operations of the store do to recipients. Those of quarantined or damaged messages are left out, and counted. The caller holds the
 * transaction.
 */
import type { Database } from "better-sqlite3";
import type { SmtpRecord } from "../../../../message/result/outcome.ts";
import { isTestRoute } from "../../../../message/test-route.ts";
import { isReply, soundJson } from "../../../records/stored-json.ts";
import type {
  NamedRecipients,
  NewState,
  RecipientKey,
  RepeatingEvent,
  StatesOf,
  TakenRecipient,
  TakenRecipients,
} from "../../session.ts";
import type { WriterParts } from "../connection/writer-parts.ts";
import { DamagedMessages } from "../files/damage.ts";
import type { StoredState } from "../mail/recipient-states.ts";

export type RecipientChangeParts = Pick<
  WriterParts,
  "hotQueue" | "quarantine" | "activity" | "events" | "states" | "damage" | "rebuilding"
>;

export class RecipientChanges {
  readonly #parts;
  readonly #damaged: DamagedMessages;
  readonly #seqOf;
  readonly #openOf;

  constructor(db: Database, parts: RecipientChangeParts) {
    this.#parts = parts;
    this.#damaged = new DamagedMessages(parts.damage, {
      place: (seq) => `the message in row ${seq}, about which a person has decided`,
      rebuilding: parts.rebuilding,
    });
    this.#seqOf = db
      .prepare<[string, string], number>("SELECT seq FROM messages WHERE id = ? AND account_id = ?")
      .pluck();
    this.#openOf = db
      .prepare<{ seq: number }, number>(
        `SELECT position FROM work WHERE seq = @seq
           UNION ALL SELECT position FROM unknown_recipients WHERE seq = @seq AND result IS NULL ORDER BY position`,
      )
      .pluck();
  }

  /** As Session.takeRecipients. */
  take({ accountId, recipients: named }: NamedRecipients, result: "pending" | "unknown"): TakenRecipients {
    const taken: TakenRecipients = { recipients: [], atDot: 0, locked: 0, unreadable: 0 };
    for (const { messageId, positions } of named) {
      const seq = this.#seqOf.get(messageId, accountId);
      if (seq === undefined) continue;
      if (this.#parts.quarantine.has(seq) || this.#damaged.has(seq)) taken.unreadable += positions.length;
      else for (const position of positions) this.#take({ seq, position }, result, taken);
    }
    return taken;
  }

  #take(key: RecipientKey, result: "pending" | "unknown", taken: TakenRecipients): void {
    const state = this.#damaged.run(key.seq, () => this.#parts.states.of(key));
    if (state === undefined || state.result !== result) return;
    if (state.mark === null) taken.recipients.push(takenRecipient(state));
    else taken.atDot += 1;
  }

  /** As Session.setStates. */
  set(states: readonly NewState[], { accountId, nowMs: atMs, acceptedAtMs }: StatesOf): void {
    const { activity, states: stored } = this.#parts;
    for (const { recipient, smtp, ...state } of states) {
      const { seq, domain, attempts, unknownAtMs } = recipient;
      const change = { ...state, attempts, smtp: smtp === null ? null : JSON.stringify(smtp), atMs };
      this.#damaged.run(seq, () => stored.set(recipient, change));
      if (isTestRoute(domain)) continue;
      if (unknownAtMs !== null) activity.unknownNoLonger(accountId, unknownAtMs);
      if (state.result === "pending") continue;
      if (acceptedAtMs === undefined) activity.decided(accountId, atMs, state.result);
      else activity.settled({ seq, accountId, createdAtMs: acceptedAtMs }, atMs, state.result);
    }
  }

  /** As Session.takeUnknown. */
  takeUnknown(key: RecipientKey): TakenRecipient | null {
    const state = this.#parts.states.of(key);
    return state?.result === "unknown" ? takenRecipient(state) : null;
  }

  /** As Session.takeQuarantined. A recipient that cannot be read or changed keeps the others from it, too. */
  takeQuarantined(seq: number): Pick<TakenRecipients, "recipients" | "unreadable"> {
    if (this.#damaged.has(seq)) return { recipients: [], unreadable: 1 };
    const positions = this.#damaged.run(seq, () => this.#openOf.all({ seq }));
    const states = positions.map((position) => this.#damaged.run(seq, () => this.#parts.states.of({ seq, position })));
    const recipients = states.flatMap((state) => (state === undefined ? [] : takenRecipient(state)));
    return { recipients, unreadable: positions.length - recipients.length };
  }

  /** As Session.addRecipientEvent. */
  addEvent(key: RecipientKey, event: RepeatingEvent): void {
    const state = this.#parts.states.listed(key);
    this.#parts.events.addRecipient(state, { ...state, ...event });
  }

  /** To be called after the commit of `set`. */
  committed(): void {
    this.#damaged.clear();
    this.#parts.hotQueue.clear();
  }
}

function takenRecipient({ smtp, result, atMs, ...state }: StoredState): TakenRecipient {
  const { seq, position, accountId, domain, attempts, reason, category } = state;
  const reply: SmtpRecord | null = smtp === null ? null : soundJson(smtp, isReply);
  const unknownAtMs = result === "unknown" ? (atMs ?? 0) : null;
  return { seq, position, accountId, domain, attempts, reason, category, smtp: reply, unknownAtMs };
}
