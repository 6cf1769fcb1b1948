/**
 * A run of every operation of the management interface, in an order in which each finds what it needs, with the examples of the document
 * where they fit. A new operation has to be added here: the tests compare the operations with those of the document.
 */
import assert from "node:assert/strict";
import type { Contract } from "./openapi.ts";

/** What earlier operations have left, for the paths of later ones. */
export interface Left {
  key?: string;
  keyText?: string;
  webhook?: string;
  message: string;
  invitation?: string;
  /** A running node; absent where there are none. */
  node?: string;
}

export interface Step {
  id: string;
  /** The path parameters; those of an earlier result. */
  params?: (left: Left) => Record<string, string | undefined>;
  /** The body, where the example does not fit. */
  body?: unknown;
  /** The status where it is not that of success. */
  status?: number;
  keep?: (answer: Record<string, unknown>, left: Left) => void;
}

const DOMAIN = () => ({ name: "example.com" });
const KEY = ({ key }: Left) => ({ id: key });
const WEBHOOK = ({ webhook }: Left) => ({ id: webhook });
const MESSAGE = ({ message }: Left) => ({ id: message });
const ACCOUNT = () => ({ name: "shop" });
const RECEIVER = () => ({ name: "gmail" });
const DESTINATION = () => ({ domain: "example.org" });
const ADDRESS = () => ({ address: "192.0.2.10" });
const POOL = () => ({ name: "newsletters" });
const NODE = ({ node }: Left) => ({ name: node ?? "none" });

/** `webhookUrl`: where a server responds. `hasNodes`: whether the service is one of two nodes. */
export const manageStory = ({ webhookUrl, hasNodes }: { webhookUrl: string; hasNodes: boolean }): readonly Step[] => [
  { id: "addDomain" },
  { id: "listDomains" },
  { id: "getDomain", params: DOMAIN },
  { id: "verifyDomain", params: DOMAIN },
  { id: "setReturnPath", params: DOMAIN },
  { id: "rotateDkim", params: DOMAIN },
  { id: "cancelDkimRotation", params: DOMAIN },
  { id: "listDomainChanges", params: DOMAIN },
  { id: "getDomainReports", params: DOMAIN },
  {
    id: "createKey",
    keep: ({ id, key }, left) => Object.assign(left, { key: id, keyText: key }),
  },
  { id: "listKeys" },
  { id: "getKey", params: KEY },
  { id: "changeKey", params: KEY },
  { id: "setKeyFuse", params: KEY },
  { id: "releaseKey", params: KEY, status: 409 },
  { id: "cancelHeldMail", params: KEY, status: 409 },
  { id: "revokeKey", params: KEY },
  {
    id: "createWebhook",
    body: { url: webhookUrl, events: ["recipient.failed"] },
    keep: ({ id }, left) => Object.assign(left, { webhook: id }),
  },
  { id: "listWebhooks" },
  { id: "getWebhook", params: WEBHOOK },
  { id: "changeWebhook", params: WEBHOOK },
  { id: "testWebhook", params: WEBHOOK },
  { id: "rotateWebhook", params: WEBHOOK },
  { id: "replayWebhook", params: WEBHOOK },
  { id: "listWebhookDeliveries", params: WEBHOOK },
  { id: "replayWebhookEvent", params: ({ webhook }) => ({ id: webhook, number: "1" }), status: 409 },
  { id: "removeWebhook", params: WEBHOOK },
  { id: "retryRecipients", params: MESSAGE, body: {} },
  { id: "cancelRecipients", params: MESSAGE, body: {} },
  { id: "resolveRecipients", params: MESSAGE, status: 409 },
  { id: "discardMessage", params: MESSAGE, status: 409 },
  { id: "actOnMessages" },
  { id: "addSuppressions" },
  { id: "listSuppressions" },
  { id: "importSuppressions" },
  { id: "exportSuppressions" },
  { id: "getSuppression", params: () => ({ email: "ann@example.org" }) },
  { id: "removeSuppression", params: () => ({ email: "ann@example.org" }) },
  { id: "getUsage" },
  { id: "listAudit" },
  { id: "runCommand" },
  { id: "createAccount" },
  { id: "listAccounts" },
  { id: "getAccount", params: ACCOUNT },
  { id: "setQuota", params: ACCOUNT },
  { id: "setStatusPages", params: ACCOUNT },
  { id: "inviteUser", params: ACCOUNT },
  {
    id: "listInvitations",
    params: ACCOUNT,
    keep: ({ data }, left) => Object.assign(left, { invitation: (data as { id: string }[])[0]?.id }),
  },
  { id: "revokeInvitation", params: ({ invitation }) => ({ name: "shop", id: invitation }) },
  { id: "deleteAccount", params: ACCOUNT },
  { id: "restoreAccount", params: ACCOUNT },
  { id: "listUsers" },
  { id: "removeUser", params: () => ({ email: "user@example.com" }) },
  { id: "listReceivers" },
  { id: "getReceiver", params: RECEIVER },
  { id: "setReceiverLimits", params: RECEIVER },
  { id: "resetReceiverLimits", params: RECEIVER },
  { id: "getQueue" },
  { id: "pauseDestination", params: DESTINATION },
  { id: "retryDestination", params: DESTINATION },
  { id: "resumeDestination", params: DESTINATION },
  { id: "addAddress" },
  { id: "listAddresses" },
  { id: "getAddress", params: ADDRESS },
  { id: "changeAddress", params: ADDRESS },
  { id: "setWarmUp", params: ADDRESS },
  { id: "removeAddress", params: ADDRESS },
  { id: "createPool" },
  { id: "listPools" },
  { id: "getPool", params: POOL },
  { id: "assignPool", params: POOL },
  { id: "removePool", params: POOL },
  { id: "listNodes" },
  { id: "drainNode", params: NODE, ...(hasNodes ? {} : { status: 409 }) },
  { id: "resumeNode", params: NODE, ...(hasNodes ? {} : { status: 409 }) },
  { id: "runDoctor" },
  { id: "getDoctor" },
  { id: "runPreflight" },
  { id: "removeDomain", params: DOMAIN },
];

export interface ManageOperation {
  id: string;
  method: string;
  /** With parameters in braces. */
  path: string;
  permission: "manage" | "operate";
  example: unknown;
  /** The media type of the example. */
  type: string;
  /** The status of success. */
  status: number;
}

interface Described {
  operationId: string;
  description?: string;
  requestBody?: { content: Record<string, { example: unknown }> };
  responses: Record<string, unknown>;
}

/** The operations of the document's management interface, by their ids. */
export function manageOperations({ document }: Pick<Contract, "document">): Map<string, ManageOperation> {
  const found = new Map<string, ManageOperation>();
  for (const [path, methods] of Object.entries(document.paths)) {
    if (!path.startsWith("/api/manage/")) continue;
    for (const [method, described] of Object.entries(methods)) {
      const { operationId: id, description = "", requestBody, responses } = described as unknown as Described;
      const permission = /Needs the permission `(manage|operate)`/.exec(description)?.[1];
      assert.ok(permission === "manage" || permission === "operate", id);
      const status = Number(Object.keys(responses).find((each) => each.startsWith("2")));
      const [type = "", { example } = { example: undefined }] = Object.entries(requestBody?.content ?? {})[0] ?? [];
      found.set(id, { id, method: method.toUpperCase(), path, permission, example, type, status });
    }
  }
  return found;
}

/** The path with its parameters. */
export function pathOf({ path }: ManageOperation, params: Record<string, string | undefined> = {}): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? "unknown"));
}

/** The body and its media type, of a body or of the operation's example. */
export function bodyOf(
  { example, type }: ManageOperation,
  given?: unknown,
): { headers: Record<string, string>; body?: string } {
  const body = given ?? example;
  if (body === undefined) return { headers: {} };
  return { headers: { "Content-Type": type }, body: typeof body === "string" ? body : JSON.stringify(body) };
}
