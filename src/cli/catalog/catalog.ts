/** All commands, in the order of the help. It imports no command's implementation, so that help and completion start at once. */
import type { Command } from "../command.ts";
import { accountCommands, userCommands } from "./accounts.ts";
import { domainCommands } from "./domains.ts";
import { keyCommands } from "./keys.ts";
import { messageCommands } from "./messages.ts";
import {
  destinationCommands,
  queueCommands,
  receiverCommands,
  sendingAddressCommands,
  tlsRuleCommands,
} from "./queue.ts";
import { serviceCommands } from "./service.ts";
import { suppressionCommands } from "./suppressions.ts";
import { webhookCommands } from "./webhooks.ts";

export const COMMANDS: readonly Command[] = [
  ...messageCommands,
  ...queueCommands,
  ...destinationCommands,
  ...tlsRuleCommands,
  ...receiverCommands,
  ...sendingAddressCommands,
  ...suppressionCommands,
  ...domainCommands,
  ...keyCommands,
  ...accountCommands,
  ...userCommands,
  ...webhookCommands,
  ...serviceCommands,
];
