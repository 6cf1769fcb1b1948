/** All commands, in the order of the help. It imports no command's implementation, so that help and completion start at once. */
import type { Command, Reach } from "../command.ts";
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

/** The commands of a group, which reach as far unless one says otherwise. */
const within = (reach: Reach, commands: readonly Command[]): Command[] =>
  commands.map((command) => ({ reach, ...command }));

export const COMMANDS: readonly Command[] = [
  ...within("account", messageCommands),
  ...within("account", queueCommands),
  ...within("installation", destinationCommands),
  ...within("installation", tlsRuleCommands),
  ...within("installation", receiverCommands),
  ...within("installation", sendingAddressCommands),
  ...within("account", suppressionCommands),
  ...within("account", domainCommands),
  ...within("account", keyCommands),
  ...within("installation", accountCommands),
  ...within("installation", userCommands),
  ...within("account", webhookCommands),
  ...within("host", serviceCommands),
];
