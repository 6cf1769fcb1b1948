/** @jsxRuntime automatic @jsxImportSource preact */
/** The first cells of a user's row in a table of users: address, role, second factor, and when the user was created. */
import type { User } from "../../spool/port/people.ts";
import { Badge, Breakable, RelativeTime } from "./components.tsx";
import { roleText } from "./role-labels.ts";

export const USER_HEAD = ["User", "Role", "Second factor", "Created"];

export function UserCells({ user, nowMs }: { user: User; nowMs: number }) {
  return (
    <>
      <th scope="row">
        <Breakable text={user.email} />
      </th>
      <td data-label="Role">{roleText(user)}</td>
      <td data-label="Second factor">
        <Badge label={user.sealedTotp === null ? { text: "Off", tone: "quiet" } : { text: "On", tone: "good" }} />
      </td>
      <td class="nowrap" data-label="Created">
        <RelativeTime atMs={user.createdAtMs} nowMs={nowMs} />
      </td>
    </>
  );
}
