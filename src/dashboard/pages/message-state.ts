/** What the parts of a message's page show. */
import type { ReadableContent } from "../../message/readable-content.ts";
import type { ApiKey } from "../../spool/port/api-keys.ts";
import type { MessageReport, RecipientReport } from "../../spool/port/results.ts";
import type { AuthContext } from "../auth/sessions.ts";

export interface MessageState {
  report: MessageReport;
  /** Null once the retention period is over. */
  content: ReadableContent | null;
  /** Null for a message of the service itself. */
  key: ApiKey | null;
  /** Recipient domains that an operator has paused. */
  paused: ReadonlySet<string>;
  nowMs: number;
  done: string;
}

export interface RecipientProps {
  auth: AuthContext;
  recipient: RecipientReport;
  state: MessageState;
}
