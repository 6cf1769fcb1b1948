/**
 * Writes the entries of one request or one run. Steps of one action are one entry, which is written at the first step and again at the later
 * ones: after a crash, the trail has what was done until then.
 */
import type { Clock } from "../../lib/clock.ts";
import { newId } from "../../lib/new-id.ts";
import type { AuditEntry, AuditFields, AuditTarget } from "../../spool/port/audit.ts";
import type { Store } from "../../spool/port/store.ts";
import { type Actor, auditActor } from "./actor.ts";
import { bounded, type Change } from "./change.ts";
import type { RuleContext } from "./rule.ts";

export interface AuditParts {
  clock: Pick<Clock, "now">;
  /** Called where an entry cannot be written, after its change was made. */
  onFault: (error: unknown, entry: Pick<AuditEntry, "action" | "accountId">) => void;
}

/** The fields of the changes of one target. */
interface Part {
  target: AuditTarget;
  before: AuditFields | null;
  after: AuditFields | null;
}

/** An entry with its steps. */
interface Kept {
  entry: Omit<AuditEntry, keyof Part>;
  /** By the name or id of the target; of changes with counts, only that of the first step. */
  parts: Map<string, Part>;
  counts: { recipients: number; messages: Set<string> } | null;
  /** Whether it has a step that is not written. */
  isChanged: boolean;
}

const NAMES_LENGTH_MAX = 500;

export class Recorder {
  readonly #store: Store;
  readonly #actor: Actor;
  readonly #parts: AuditParts;
  readonly #kept = new Map<string, Kept>();
  /** Entries are written one after another: a later step of an entry must not be overtaken by an earlier one. */
  #writing: Promise<void> = Promise.resolve();

  constructor(store: Store, actor: Actor, parts: AuditParts) {
    this.#store = store;
    this.#actor = actor;
    this.#parts = parts;
  }

  get context(): RuleContext {
    return { store: this.#store, nowMs: this.#parts.clock.now(), accountId: this.#actor.accountId };
  }

  /** Never rejects: the change is made already. */
  async record(changes: Change | readonly Change[] | null): Promise<void> {
    const all = changes === null ? [] : [changes].flat();
    for (const change of all) {
      if (this.#hasOneOf(change.partOf)) continue;
      const kept = this.#keptOf(change);
      addStep(kept, change);
      this.#writing = this.#writing.then(() => this.#write(kept));
    }
    if (all.length > 0) await this.#writing;
  }

  #hasOneOf(actions: readonly string[] = []): boolean {
    return [...this.#kept.values()].some(({ entry }) => actions.includes(entry.action));
  }

  #keptOf({ action, accountId, proven }: Change): Kept {
    const key = `${action} ${accountId}`;
    const former = this.#kept.get(key);
    if (former !== undefined) return former;
    const actor = auditActor(this.#actor, proven);
    const entry = { id: newId("aud"), atMs: this.#parts.clock.now(), accountId, actor, action };
    const kept = { entry, parts: new Map(), counts: null, isChanged: false };
    this.#kept.set(key, kept);
    return kept;
  }

  async #write(kept: Kept): Promise<void> {
    if (!kept.isChanged) return;
    kept.isChanged = false;
    const { target, before, after } = joined(kept);
    try {
      await this.#store.recordAudit({ ...kept.entry, target, before: bounded(before), after: bounded(after) });
    } catch (error) {
      const { action, accountId } = kept.entry;
      this.#parts.onFault(error, { action, accountId });
    }
  }
}

/** Adds a step to an entry, in place. */
function addStep(kept: Kept, { target, before = null, after = null, counts }: Change): void {
  kept.isChanged = true;
  const name = counts === undefined ? (target.name ?? target.id ?? "") : "";
  const former = kept.parts.get(name);
  kept.parts.set(name, {
    target: former?.target ?? target,
    before: withFields(former?.before ?? null, before),
    after: withFields(former?.after ?? null, after),
  });
  if (counts === undefined) return;
  kept.counts ??= { recipients: 0, messages: new Set() };
  kept.counts.recipients += counts.recipients;
  for (const id of counts.messages) kept.counts.messages.add(id);
}

const withFields = (former: AuditFields | null, added: AuditFields | null): AuditFields | null =>
  former === null && added === null ? null : { ...former, ...added };

/** All steps as one: the fields of several targets are by their names. */
function joined({ parts, counts }: Kept): Part {
  const [first, ...others] = parts.values();
  if (first === undefined) throw new Error("an audit entry without a change");
  if (counts !== null) return withCounts(first, counts);
  if (others.length === 0) return first;
  const name = [...parts.keys()].join(", ").slice(0, NAMES_LENGTH_MAX);
  const fieldsOf = (side: "before" | "after") => Object.fromEntries([...parts].map(([of, part]) => [of, part[side]]));
  return { target: { kind: first.target.kind, id: null, name }, before: fieldsOf("before"), after: fieldsOf("after") };
}

function withCounts({ target, before, after }: Part, { recipients, messages }: NonNullable<Kept["counts"]>): Part {
  if (messages.size === 0) return { target, before, after: { ...after, recipients } };
  const id = messages.size === 1 ? ([...messages][0] ?? null) : null;
  return { target: { ...target, id }, before, after: { ...after, recipients, messages: messages.size } };
}
