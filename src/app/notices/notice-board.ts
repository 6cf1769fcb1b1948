/**
 * Where every notice begins: it is stored, unless it is there already or another one of its cause came within the hour. The store decides
 * that for all nodes. notice-sender.ts sends what is stored.
 */
import { boundedMap } from "../../lib/bounded-map.ts";
import type { Clock } from "../../lib/clock.ts";
import { newId } from "../../lib/new-id.ts";
import type { NoticeAddition, Notices } from "../../spool/port/notices.ts";
import type { NoticeDraft } from "./notice.ts";

/** The most conditions that are known to be stored, so that they are not stored again. */
const KNOWN_MAX = 10_000;

export interface BoardParts {
  store: Pick<Notices, "addNotice">;
  clock: Pick<Clock, "now">;
}

export class NoticeBoard {
  readonly #parts: BoardParts;
  /** By the cause: the occurrence that the store has. */
  readonly #known = boundedMap<string>(KNOWN_MAX);

  constructor(parts: BoardParts) {
    this.#parts = parts;
  }

  /** Whether this process knows that the notice is stored. */
  isKnown({ cause, occurrence }: Pick<NoticeDraft, "cause" | "occurrence">): boolean {
    return this.#known.peek(cause) === occurrence;
  }

  /** Rejects with SpoolUnavailable: the condition is looked at again. */
  async post({ paragraphs, ...draft }: NoticeDraft): Promise<NoticeAddition> {
    const { cause, occurrence } = draft;
    if (this.isKnown(draft)) return "known";
    const { store, clock } = this.#parts;
    const notice = { ...draft, id: newId("ntc"), atMs: clock.now(), text: paragraphs.join("\n\n") };
    const added = await store.addNotice(notice);
    if (added !== "too_soon") this.#known.set(cause, occurrence);
    return added;
  }
}

/** Posts one after another. Returns the last notice's result. */
export async function postAll(board: Pick<NoticeBoard, "post">, drafts: readonly NoticeDraft[]): Promise<void> {
  for (const draft of drafts) await board.post(draft);
}
