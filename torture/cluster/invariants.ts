/**
 * Compares what clients, mail exchangers and readers of the feed have seen with the database, once nothing is in progress. Each
 * function checks one guarantee of several nodes, and describes each violation in one sentence.
 */
import type { Delivery, History } from "../../simulate/history.ts";
import { hasCause, reportedDuplicateRisks } from "../../simulate/invariants.ts";
import type { Cluster } from "./cluster.ts";
import type { FeedReader } from "./feed-reader.ts";
import type { Stored, StoredEvent, StoredRecipient } from "./stored.ts";

/** The reason of a recipient that was recovered after its mark. */
const INTERRUPTED = "interrupted_after_final_dot";

/** A mark is stored so long before its dot arrives at most, and a result after it, if nothing befalls the node. */
const BEFORE_DOT_MS = 500;
const AFTER_DOT_MS = 15_000;

/** What the readers have read since `stored` was read is not compared: evidence may still arrive for unknown recipients. */
export function checkCluster(cluster: Cluster, stored: Stored, readers: readonly FeedReader[]): string[] {
  const { history } = cluster;
  const deliveries = groupDeliveries(history.deliveries);
  const lost = new Set(cluster.nodes.flatMap(({ lostMessageIds }) => lostMessageIds));
  return [
    ...history.violations,
    ...acceptedMessagesAreStored(stored, history, lost),
    ...messagesAreOfIntents(stored, history),
    ...stored.recipients.flatMap((recipient) =>
      recipientIsConsistent(recipient, deliveriesOf(deliveries, recipient), history).map(
        (sentence) => `${sentence}: ${describe(recipient)}`,
      ),
    ),
    ...stored.recipients.flatMap((recipient) =>
      interruptionHasCause(cluster, recipient, deliveriesOf(deliveries, recipient)),
    ),
    ...deliveriesAreStored(cluster, stored),
    ...stored.recipients.flatMap((recipient) => eventsFollowChanges(recipient, cluster.hasFailedOver)),
    ...readers.flatMap((reader) => feedIsComplete(reader, stored, cluster.hasFailedOver)),
  ];
}

/** The other nodes have not ended a node that nothing had befallen. */
export function noNodeWasEndedInError({ nodes }: Cluster): string[] {
  return nodes.flatMap(({ name, fencedAtMs, afflictions }) =>
    fencedAtMs
      .filter((atMs) => !afflictions.some(({ fromMs, toMs }) => fromMs < atMs && (toMs === null || toMs > atMs)))
      .map((atMs) => `node ended in error: ${name} at ${new Date(atMs).toISOString()}`),
  );
}

const recipientKey = (messageId: string, recipient: string): string => `${messageId} ${recipient}`;

function groupDeliveries(deliveries: readonly Delivery[]): Map<string, Delivery[]> {
  const groups = new Map<string, Delivery[]>();
  for (const delivery of deliveries) {
    const key = recipientKey(delivery.messageId, delivery.recipient);
    const known = groups.get(key);
    if (known === undefined) groups.set(key, [delivery]);
    else known.push(delivery);
  }
  return groups;
}

const deliveriesOf = (groups: Map<string, Delivery[]>, { message, email }: StoredRecipient): Delivery[] =>
  groups.get(recipientKey(message.messageId, email)) ?? [];

const describe = ({ message, email, position, state, work, events }: StoredRecipient): string => {
  const results = events.map(({ result, reason, attempts }) => `${result} ${reason ?? ""} ${attempts}`);
  return `${message.subject} ${email} (${message.id}, ${message.seq}/${position}, ${state}, ${results.join(", ")}${work ?? ""})`;
};

/**
 * 202 means on disk: the message is stored with every requested recipient. What a failover has lost was named in the log of the node
 * that had accepted it (`lost`).
 */
function acceptedMessagesAreStored(
  { messages, recipients }: Stored,
  { acceptedSends, intents }: History,
  lost: ReadonlySet<string>,
): string[] {
  const seqs = new Map(messages.map(({ id, seq }) => [id, seq]));
  const emails = new Map<string, string[]>();
  for (const { seq, email } of recipients) emails.set(seq, [...(emails.get(seq) ?? []), email]);
  return acceptedSends.flatMap(({ intent, id }) => {
    const kept = (emails.get(seqs.get(id) ?? "") ?? []).join();
    const wanted = [...new Set(intents[intent]?.recipients)].join();
    if (kept === "" && lost.has(id)) return [];
    return kept === wanted ? [] : [`lost: intent ${intent} got a 202, but the database holds [${kept}] of [${wanted}]`];
  });
}

/** One idempotency key makes one message, at whichever nodes; without a key, each attempt makes one at most. */
function messagesAreOfIntents({ messages }: Stored, { intents }: History): string[] {
  const counts = new Map<string, number>();
  for (const { subject } of messages) counts.set(subject, (counts.get(subject) ?? 0) + 1);
  return intents.flatMap(({ number, key, attempts }) => {
    const count = counts.get(`Intent ${number}`) ?? 0;
    return count > (key === null ? attempts : 1)
      ? [`duplicate for one key: intent ${number} became ${count} messages`]
      : [];
  });
}

function recipientIsConsistent(recipient: StoredRecipient, deliveries: Delivery[], history: History): string[] {
  const { state, reason } = recipient;
  const risks = reportedDuplicateRisks(
    recipient.events.flatMap(({ history: entry }) => (entry === null ? [] : [entry])),
  );
  const broken: string[] = [];
  if (deliveries.length > 1 + risks)
    broken.push(`silent duplicate: delivered ${deliveries.length} times, with ${risks} reported duplicate risks`);
  if (state === "failed" && deliveries.length > risks) broken.push(`failed although delivered (${reason})`);
  if (state === "delivered" && !deliveries.some(({ isReplySent }) => isReplySent))
    broken.push("marked as delivered but never accepted by a peer");
  if (state === "failed" && !hasCause(recipient, history)) broken.push(`failed without a cause (${reason})`);
  if (state !== "failed" && state !== "delivered" && state !== "unknown") broken.push("not final");
  return broken;
}

/**
 * A marked recipient is recovered only if something befell the node that had marked it. If a node is suspended just before its dot
 * leaves, the dot arrives after that of a later attempt: then too, one of the deliveries is by a node that was not well.
 */
function interruptionHasCause(cluster: Cluster, recipient: StoredRecipient, deliveries: Delivery[]): string[] {
  const interrupted = recipient.events.find(({ reason }) => reason === INTERRUPTED);
  if (interrupted === undefined || deliveries.some((delivery) => nodeInError(cluster, delivery) === null)) return [];
  return deliveriesUntil(interrupted, recipient, deliveries).map((delivery) => {
    const atMs = new Date(delivery.atMs).toISOString();
    const node = nodeInError(cluster, delivery);
    return `recovered in error from node ${node}, delivered at ${atMs}: ${describe(recipient)}`;
  });
}

/** The node of a delivery if a recovery of it would be an error; null if the node was not well, or got no reply. */
function nodeInError({ exchangers, nodes }: Cluster, delivery: Delivery): string | null {
  const sender = exchangers.senderOf(delivery);
  const node = nodes.find(({ hostname }) => hostname === sender);
  if (node === undefined || !delivery.isReplySent) return null;
  return node.wasWell(delivery.atMs - BEFORE_DOT_MS, delivery.atMs + AFTER_DOT_MS) ? node.name : null;
}

/** Without those that belong to later attempts, each of which delivers once at most. */
function deliveriesUntil({ attempts }: StoredEvent, { events }: StoredRecipient, deliveries: Delivery[]): Delivery[] {
  const later = new Set(events.map((event) => event.attempts ?? 0).filter((attempt) => attempt > (attempts ?? 0)));
  return deliveries.slice(0, Math.max(0, deliveries.length - later.size));
}

/** Every message that a peer holds was accepted by the API for that recipient, and is stored unless a failover has lost it. */
function deliveriesAreStored(cluster: Cluster, { recipients }: Stored): string[] {
  const known = new Set(recipients.map(({ message, email }) => recipientKey(message.messageId, email)));
  return cluster.history.deliveries.flatMap((delivery) => {
    const { messageId, recipient } = delivery;
    if (known.has(recipientKey(messageId, recipient))) return [];
    if (cluster.hasFailedOver && nodeInError(cluster, delivery) === null) return [];
    return [`delivered but not in the database: ${messageId} to ${recipient}`];
  });
}

/**
 * A recipient's events are its attempts in their order, and the last one is its state. A failover may have lost some: the attempt that
 * went on meanwhile has counted them.
 */
function eventsFollowChanges(recipient: StoredRecipient, hasFailedOver: boolean): string[] {
  const changes = recipient.events.filter(({ type }) => type !== null);
  const last = changes.at(-1);
  const broken: string[] = [];
  if (last !== undefined && recipient.state !== null && resultOf(recipient.state) !== last.result)
    broken.push(`last event is not the state: ${describe(recipient)}`);
  for (const [i, change] of changes.entries()) {
    const before = changes[i - 1];
    const isAfterLost = hasFailedOver && !isFinal(before) && (change.attempts ?? 0) > (before?.attempts ?? 0) + 1;
    if (!isAfterLost && !follows(before, change))
      broken.push(`event ${i + 1} does not follow the one before: ${describe(recipient)}`);
  }
  return broken;
}

const resultOf = (state: string): string => (state === "marked" ? "pending" : state);

const isFinal = (event: StoredEvent | undefined): boolean =>
  event?.result === "delivered" || event?.result === "failed";

/** Evidence that arrives after a recovery belongs to the attempt that the recovery has counted. */
function follows(before: StoredEvent | undefined, { attempts }: StoredEvent): boolean {
  if (before === undefined) return attempts === 1;
  if (isFinal(before)) return false;
  if (attempts === (before.attempts ?? 0) + 1) return before.result === "pending";
  return attempts === before.attempts && before.result === "unknown" && before.reason === INTERRUPTED;
}

/**
 * A reader that follows the feed at changing nodes gets every event once, in the order of the changes, with its final sequence. It
 * may have read others that a failover has lost.
 */
function feedIsComplete({ events, sender }: FeedReader, stored: Stored, hasFailedOver: boolean): string[] {
  const [first] = events;
  const messages = new Map(stored.messages.map((message) => [message.seq, message]));
  const accountId = stored.messages.find(({ id }) => id === first?.message_id)?.accountId;
  const sequences = new Map<string, number>();
  const expected = stored.events.flatMap(({ type, seq, id, accountId: account }) => {
    if (type === null || account !== accountId) return [];
    const sequence = (sequences.get(seq) ?? 0) + 1;
    sequences.set(seq, sequence);
    return [`${id} ${type} ${messages.get(seq)?.id} ${sequence}`];
  });
  const ids = new Set(stored.events.map(({ id }) => id));
  const comparable = hasFailedOver ? events.filter(({ id }) => ids.has(id)) : events;
  const read = comparable.map(({ id, type, message_id, sequence }) => `${id} ${type} ${message_id} ${sequence}`);
  const seen = read.slice(0, expected.length);
  if (seen.join() === expected.join()) return [];
  const at = expected.findIndex((event, i) => event !== seen[i]);
  const known = new Set(seen);
  const missing = expected.filter((event) => !known.has(event));
  const counts = `${seen.length} events read of ${expected.length}, ${missing.length} never`;
  return [`feed of ${sender.domain}: ${counts}; expected ${expected[at]}, read ${seen[at]}`];
}
