/** How an operator's changes of the installation are described: receivers, sending addresses and pools, TLS rules, nodes. */

import { DELETED_BY_OWNER } from "../../spool/port/accounts.ts";
import type { AuditFields } from "../../spool/port/audit.ts";
import { SHARED_ENTRIES } from "../../spool/port/key-value.ts";
import type { Nodes } from "../../spool/port/nodes.ts";
import type { Store } from "../../spool/port/store.ts";
import { shownUrl } from "../webhooks/webhook-url.ts";
import { type Action, type Change, difference } from "./change.ts";
import { type NotAudited, notAudited, type Rules, reads } from "./rule.ts";

type Fields = AuditFields | null;

/** An entry of the key-value store that is a map: what each of its values is about, and the action of a change. */
interface StoredMapRule {
  kind: string;
  action: (before: Fields, after: Fields) => Action;
  /** What the trail shows of the fields that changed; all of them if absent. */
  shown?: (fields: AuditFields) => AuditFields;
}

/** Shared entries, by their names in SHARED_ENTRIES: maps as JSON objects, whose values are objects, or texts. */
const SHARED: Readonly<Record<keyof typeof SHARED_ENTRIES, StoredMapRule | NotAudited>> = {
  receiverLimits: {
    kind: "receiver",
    action: (_before, after) => (after === null ? "receiver.limits_reset" : "receiver.limits_set"),
  },
  tlsRules: { kind: "recipient_domain", action: () => "destination.tls_set" },
  sendingAddresses: { kind: "address", action: addressAction },
  sendingPools: {
    kind: "pool",
    action: (before, after) => (before === null ? "pool.created" : after === null ? "pool.removed" : "pool.changed"),
  },
  operatorsWebhook: {
    kind: "operators_webhook",
    action: () => "setting.changed",
    shown: (fields) => ("url" in fields ? { ...fields, url: shownUrl(String(fields.url)) } : fields),
  },
  probeRequests: { notAudited: "it costs time only, and the message or the domain that is sent again is recorded" },
};

const BY_ENTRY = new Map<string, StoredMapRule | NotAudited>(
  Object.entries(SHARED_ENTRIES).map(([name, entry]) => [entry, SHARED[name as keyof typeof SHARED_ENTRIES]]),
);

function addressAction(before: Fields, after: Fields): Action {
  if (before === null) return "address.added";
  if (after === null) return "address.removed";
  const changed = Object.keys(difference(before, after)?.after ?? {});
  if (changed.length !== 1) return "address.changed";
  if (changed[0] === "warmUp") return "address.warm_up_set";
  if (changed[0] !== "isPaused") return "address.changed";
  return after.isPaused === true ? "address.paused" : "address.resumed";
}

/** Another entry is recorded without its value, except for the one that belongs to the deletion of an account. */
function otherChange(entry: string, isChanged: boolean): Change[] {
  if (!isChanged || entry.startsWith(DELETED_BY_OWNER)) return [];
  return [{ action: "setting.changed", accountId: null, target: { kind: "setting", id: null, name: entry } }];
}

function changesOf(entry: string, before: string | null, after: string): Change[] {
  const rule = BY_ENTRY.get(entry);
  if (rule === undefined) return otherChange(entry, before !== after);
  if ("notAudited" in rule) return [];
  const [old, now] = [mapOf(before), mapOf(after)];
  return [...new Set([...old.keys(), ...now.keys()])].flatMap((name) => {
    const [former, present] = [old.get(name) ?? null, now.get(name) ?? null];
    const fields = difference(former ?? {}, present ?? {});
    if (fields === null && former !== null && present !== null) return [];
    const target = { kind: rule.kind, id: null, name };
    const { shown: show = (each: AuditFields) => each } = rule;
    const shown = {
      before: former === null || fields === null ? null : show(fields.before),
      after: present === null || fields === null ? null : show(fields.after),
    };
    return [{ action: rule.action(former, present), accountId: null, target, ...shown }];
  });
}

/** The values of an entry; none of one that cannot be read. */
function mapOf(text: string | null): Map<string, AuditFields> {
  try {
    const values = Object.entries(JSON.parse(text ?? "{}") as Record<string, unknown>);
    return new Map(
      values.map(([name, value]) => [name, typeof value === "object" ? (value as AuditFields) : { value }]),
    );
  } catch {
    return new Map();
  }
}

export const OPERATOR_RULES = {
  async writeValue({ store }, entry, text) {
    const changes = changesOf(entry, await store.readValue(entry), text);
    return () => changes;
  },
  moveWarmUp:
    (_context, { address, receiver }, { place }) =>
    () => ({
      action: "address.warm_up_set",
      accountId: null,
      target: { kind: "address", id: null, name: address },
      after: { receiver, day: place + 1 },
    }),
  ...notAudited("it is a part of an address's removal", "forgetWarmUps"),
  ...notAudited("each node has it for itself", "writeNodeValue"),
  ...notAudited("the service makes its secrets automatically", "addSecret"),
} satisfies Partial<Rules<Store>>;

const aboutNode = (action: Action, name: string, names: readonly string[]): Change => ({
  action,
  accountId: null,
  target: { kind: "node", id: null, name },
  after: { nodes: names },
});

export const NODE_RULES: Rules<Nodes> = {
  drain: (_context, name) => (drain) =>
    drain.type === "draining" ? aboutNode("node.drained", name, drain.names) : null,
  resume: (_context, name) => (resume) =>
    resume.type === "resumed" ? aboutNode("node.resumed", name, resume.names) : null,
  ...reads("own", "list", "sendingIps"),
};
