/**
 * The store for one actor: each change that is made through it is recorded in the audit trail. The doors of the service pass such a store to
 * the use cases, which know nothing of the trail. The mail path has the store itself.
 *
 * An entry is written after its change, in its own transaction: methods of the store are more than one operation, and each engine has
 * some of its own. If an entry cannot be written, the change stays, and the log has a warning. What is there before is read before the
 * change; of two changes of one thing at the same moment, the second may show what was there before the first.
 */
import type { Store } from "../../spool/port/store.ts";
import { ACCOUNT_RULES, PEOPLE_RULES } from "./account-rules.ts";
import type { Actor } from "./actor.ts";
import { MAIL_RULES } from "./mail-rules.ts";
import { NODE_RULES, OPERATOR_RULES } from "./operator-rules.ts";
import { type AuditParts, Recorder } from "./recorder.ts";
import { type Description, notAudited, type Rule, type Rules, reads } from "./rule.ts";
import { SENDER_RULES } from "./sender-rules.ts";

export const STORE_RULES: Rules<Store> = {
  ...ACCOUNT_RULES,
  ...SENDER_RULES,
  ...MAIL_RULES,
  ...OPERATOR_RULES,
  // These have their own rules.
  ...reads("people", "nodes"),
  ...reads("reports", "duties", "onDamage", "onSync", "close"),
  ...notAudited(
    "they are limits and short-lived values",
    "tokenBuckets",
    "destinationSlots",
    "attemptLimiter",
    "heldValues",
  ),
};

/** The store, whose changes are recorded as the actor's. For one request or one run: its steps of one action are one entry. */
export function auditedStore(store: Store, actor: Actor, parts: AuditParts): Store {
  const recorder = new Recorder(store, actor, parts);
  const people = audited(store.people, PEOPLE_RULES, recorder);
  const nodes = store.nodes === null ? null : audited(store.nodes, NODE_RULES, recorder);
  return audited(store, STORE_RULES, recorder, { people, nodes });
}

/** `replaced`: members that are others. */
function audited<Port extends object>(
  port: Port,
  rules: Rules<Port>,
  recorder: Recorder,
  replaced: Partial<Port> = {},
): Port {
  return new Proxy(port, {
    get(target, name) {
      if (Object.hasOwn(replaced, name)) return Reflect.get(replaced, name);
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== "function") return member;
      const rule = (rules as Record<PropertyKey, Rule<unknown> | Description<unknown[], unknown>>)[name];
      if (typeof rule !== "function") return member.bind(target);
      return async (...args: unknown[]): Promise<unknown> => {
        const describe = await rule(recorder.context, ...args);
        const value: unknown = await member.apply(target, args);
        await recorder.record(describe(value));
        return value;
      };
    },
  });
}
