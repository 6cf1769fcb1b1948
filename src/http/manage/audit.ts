/** The audit trail: what users, API keys and the command line changed. */
import { auditView, listAudit } from "../../app/audit/list-audit.ts";
import type { QuerySchema } from "../request/query.ts";
import { AUDIT_ENTRY } from "./examples.ts";
import type { ManageRequest, Operation, Page } from "./operation.ts";
import { limitOf, PAGE_QUERY, readNumberCursor } from "./page.ts";

const AUDIT_QUERY = {
  ...PAGE_QUERY,
  action: { type: "string", minLength: 1, maxLength: 100, description: "the beginning of an action, such as domain" },
  by: { type: "string", minLength: 1, maxLength: 320, description: "a part of the name of who changed something" },
  target: {
    type: "string",
    minLength: 1,
    maxLength: 320,
    description: "a part of the name or id of the changed object",
  },
  since: {
    type: "string",
    format: "date-time",
    maxLength: 40,
    description: "a time by RFC 3339; changes then or later",
  },
  until: { type: "string", format: "date-time", maxLength: 40, description: "a time by RFC 3339; changes before" },
} as const satisfies QuerySchema;

/** The operator's trail of all accounts and the installation, without a named account. */
async function list(request: ManageRequest): Promise<Page<unknown>> {
  const { query, account, isOperator, parts } = request;
  const { action, by, target, since, until } = query;
  const after = readNumberCursor(query.after);
  const { entries, next } = await listAudit(parts.store, {
    accountId: isOperator && query.account === undefined ? null : account.id,
    limit: limitOf(request),
    ...(after === null ? {} : { after: String(after) }),
    ...(action === undefined ? {} : { action: String(action) }),
    ...(by === undefined ? {} : { by: String(by) }),
    ...(target === undefined ? {} : { target: String(target) }),
    ...(since === undefined ? {} : { sinceMs: Date.parse(String(since)) }),
    ...(until === undefined ? {} : { untilMs: Date.parse(String(until)) }),
  });
  return { data: entries.map(auditView), next };
}

export const AUDIT_OPERATIONS: readonly Operation[] = [
  {
    id: "listAudit",
    permission: "manage",
    tag: "account",
    method: "GET",
    path: "/audit",
    summary: "List the entries of the audit trail, the newest first",
    description: "With a key that may operate and without `account`: in all accounts, and in the installation.",
    query: AUDIT_QUERY,
    status: 200,
    response: { schema: "AuditList", example: { data: [AUDIT_ENTRY], next: null } },
    run: list,
  },
];
