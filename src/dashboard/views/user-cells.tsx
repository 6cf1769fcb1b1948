/** @jsxRuntime automatic @jsxImportSource preact */
/** The first cells of a user's row in a table of users: address, role, second factor, and when the user joined the account. */
import { membershipIn } from "../../spool/port/memberships.ts";
import type { User } from "../../spool/port/people.ts";
import { RelativeTime } from "./components.tsx";
import { EmailAddress, StateText } from "./list-rows.tsx";
import { roleText } from "./role-labels.ts";

export const USER_HEAD = ["User", "Role", "Second factor", "Joined"];

export interface UserCellsProps {
  user: User;
  /** The account whose users are listed. */
  accountId: string;
  nowMs: number;
}

export function UserCells({ user, accountId, nowMs }: UserCellsProps) {
  return (
    <>
      <th scope="row" class="left">
        <EmailAddress address={user.email} />
      </th>
      <td class="right">{roleText(user, accountId)}</td>
      <td class="left small" data-label="Second factor">
        <StateText label={user.sealedTotp === null ? { text: "Off", tone: "quiet" } : { text: "On", tone: "good" }} />
      </td>
      <td class="nowrap secondary">
        <RelativeTime atMs={membershipIn(user, accountId)?.joinedAtMs ?? user.createdAtMs} nowMs={nowMs} />
      </td>
    </>
  );
}
