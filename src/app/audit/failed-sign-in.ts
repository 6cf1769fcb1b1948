/** A failed sign-in of a known user, which changes nothing in the store. What was typed is not recorded. */
import { ownAccountId } from "../../spool/port/memberships.ts";
import type { Store } from "../../spool/port/store.ts";
import type { Actor } from "./actor.ts";
import { type AuditParts, Recorder } from "./recorder.ts";

/** Does nothing if there is no such user. `step`: what was wrong. Never rejects. */
export async function recordFailedSignIn(
  { store, actor, ...parts }: AuditParts & { store: Store; actor: Actor },
  typedEmail: string,
  step: "password" | "code" | "identity provider",
): Promise<void> {
  const user = await store.people.userNamed(typedEmail).catch(() => null);
  if (user === null) return;
  const { id, email } = user;
  const target = { kind: "user", id, name: email };
  await new Recorder(store, actor, parts).record({
    action: "sign_in_failed",
    accountId: ownAccountId(user),
    target,
    after: { wrong: step },
  });
}
