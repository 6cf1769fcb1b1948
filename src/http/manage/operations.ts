/** All operations of the management interface, in the order of the document. */
import { ACCOUNT_OPERATIONS } from "./accounts.ts";
import { AUDIT_OPERATIONS } from "./audit.ts";
import { COMMAND_OPERATIONS } from "./commands.ts";
import { DOMAIN_OPERATIONS } from "./domains.ts";
import { KEY_OPERATIONS } from "./keys.ts";
import { MESSAGE_OPERATIONS } from "./messages.ts";
import { OPERATING_OPERATIONS } from "./operating.ts";
import type { Operation } from "./operation.ts";
import { SUPPRESSION_OPERATIONS } from "./suppressions.ts";
import { USAGE_OPERATIONS } from "./usage.ts";
import { WEBHOOK_OPERATIONS } from "./webhooks.ts";

export const OPERATIONS: readonly Operation[] = [
  ...DOMAIN_OPERATIONS,
  ...KEY_OPERATIONS,
  ...WEBHOOK_OPERATIONS,
  ...SUPPRESSION_OPERATIONS,
  ...MESSAGE_OPERATIONS,
  ...USAGE_OPERATIONS,
  ...AUDIT_OPERATIONS,
  ...COMMAND_OPERATIONS,
  ...ACCOUNT_OPERATIONS,
  ...OPERATING_OPERATIONS,
];
