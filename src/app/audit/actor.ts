/** Who acts, as a door of the service knows it. */
import type { AuditActor } from "../../spool/port/audit.ts";
import { COMMAND_LINE } from "../decide/decide-recipients.ts";

export type Actor =
  | { type: "user"; id: string; email: string; ip: string; accountId: string | null }
  | { type: "key"; id: string; name: string; ip: string; accountId: string | null }
  | { type: "command_line"; accountId: string | null }
  /** Somebody without a session. */
  | { type: "visitor"; ip: string; accountId: null };

/** The actor as an entry has it. `proven`: the user that a visitor has proven to be by the change. */
export function auditActor(actor: Actor, proven?: { id: string; email: string }): AuditActor {
  switch (actor.type) {
    case "user":
      return { kind: "user", id: actor.id, name: actor.email, ip: actor.ip };
    case "key":
      return { kind: "key", id: actor.id, name: actor.name, ip: actor.ip };
    case "command_line":
      return { kind: "command_line", id: null, name: COMMAND_LINE, ip: null };
    case "visitor":
      if (proven !== undefined) return { kind: "user", id: proven.id, name: proven.email, ip: actor.ip };
      return { kind: "visitor", id: null, name: null, ip: actor.ip };
  }
}
