/** How an operator's changes of the installation are described: receivers, sending addresses and pools, TLS rules, nodes. */
import type { AuditFields } from "../../spool/port/audit.ts";
import type { Nodes } from "../../spool/port/nodes.ts";
import { PROBE_REQUESTS_ENTRY } from "../../spool/port/probe-requests.ts";
import { RECEIVER_LIMITS_ENTRY } from "../../spool/port/receiver-limits.ts";
import { SENDING_ADDRESSES_ENTRY, SENDING_POOLS_ENTRY } from "../../spool/port/sending-addresses.ts";
import type { Store } from "../../spool/port/store.ts";
import { TLS_RULES_ENTRY } from "../../spool/port/tls-rules.ts";
import { DELETED_BY_OWNER } from "../accounts/delete-account.ts";
import { type Action, type Change, difference } from "./change.ts";
import { notAudited, type Rules, reads } from "./rule.ts";

type Fields = AuditFields | null;

/** An entry of the key-value store that is a map: what each of its values is about, and the action of a change. */
interface StoredMapRule {
  kind: string;
  action: (before: Fields, after: Fields) => Action;
}

/** Entries by name, as JSON objects. Their values are objects, or texts. */
const STORED_MAPS: Readonly<Record<string, StoredMapRule>> = {
  [RECEIVER_LIMITS_ENTRY]: {
    kind: "receiver",
    action: (_before, after) => (after === null ? "receiver.limits_reset" : "receiver.limits_set"),
  },
  [TLS_RULES_ENTRY]: { kind: "recipient_domain", action: () => "destination.tls_set" },
  [SENDING_ADDRESSES_ENTRY]: { kind: "address", action: addressAction },
  [SENDING_POOLS_ENTRY]: {
    kind: "pool",
    action: (before, after) => (before === null ? "pool.created" : after === null ? "pool.removed" : "pool.changed"),
  },
};

function addressAction(before: Fields, after: Fields): Action {
  if (before === null) return "address.added";
  if (after === null) return "address.removed";
  const changed = Object.keys(difference(before, after)?.after ?? {});
  if (changed.length !== 1) return "address.changed";
  if (changed[0] === "warmUp") return "address.warm_up_set";
  if (changed[0] !== "isPaused") return "address.changed";
  return after.isPaused === true ? "address.paused" : "address.resumed";
}

/** Entries whose changes are a part of others, or cost time only. Any other entry is recorded, without its value. */
const isLeftOut = (entry: string): boolean => entry === PROBE_REQUESTS_ENTRY || entry.startsWith(DELETED_BY_OWNER);

function changesOf(entry: string, before: string | null, after: string): Change[] {
  const rule = STORED_MAPS[entry];
  if (rule === undefined) {
    const target = { kind: "setting", id: null, name: entry };
    return isLeftOut(entry) || before === after ? [] : [{ action: "setting.changed", accountId: null, target }];
  }
  const [old, now] = [mapOf(before), mapOf(after)];
  return [...new Set([...old.keys(), ...now.keys()])].flatMap((name) => {
    const [former, present] = [old.get(name) ?? null, now.get(name) ?? null];
    const fields = difference(former ?? {}, present ?? {});
    if (fields === null && former !== null && present !== null) return [];
    const target = { kind: rule.kind, id: null, name };
    const shown = {
      before: former === null ? null : (fields?.before ?? null),
      after: present === null ? null : (fields?.after ?? null),
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
  ...notAudited("the service makes its secrets by itself", "addSecret"),
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
