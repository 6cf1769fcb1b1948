/**
 * Users who sign in by the company's identity provider. A user is known there by the provider's issuer and the subject that it has given
 * the person, which stay the same when the email address changes. Every method rejects with SpoolUnavailable as the spool's do (see
 * errors.ts).
 */
import type { Role } from "./memberships.ts";
import type { User } from "./people.ts";

/** What a group at the provider gives its members. */
export interface GroupGrant {
  accountId: string;
  role: Role;
}

/** A person whom the provider has signed in. */
export interface ProviderSignIn {
  issuer: string;
  subject: string;
  /** Verified by the provider. */
  email: string;
  /** The access that the person's groups give, at most one entry per account, the one with the highest precedence first. */
  grants: readonly GroupGrant[];
  /** Of a user who is created or linked; no password matches it. */
  passwordHash: string;
  nowMs: number;
  /** Users and open invitations that an account may have together. */
  usersMax: number;
}

/** What a sign-in has changed besides its session. */
export type ProviderChange =
  /**
   * The person is an existing user from now on, by the email address. Unless it is an operator's, its password has ended, and if groups give
   * an account, its memberships in other accounts that have another owner: nobody has proven that they are this person's.
   */
  | { type: "linked" }
  /** A user was created by the invitation of the email address. */
  | { type: "invited"; accountId: string; role: Role; invitedBy: string }
  /** A user was created by a group. */
  | { type: "created"; accountId: string; role: Role }
  /** A user has joined an account by a group. */
  | { type: "joined"; accountId: string; role: Role }
  /** The groups give another role now. */
  | { type: "role_changed"; accountId: string; before: Role; after: Role }
  /** The groups do not give the account, and the user has left it. */
  | { type: "left"; accountId: string; role: Role };

/** Why an account takes no further user. */
export type PlaceFault = "too_many_users" | "account_deleted";

export type ProviderRefusal =
  /** There is no user, invitation or group for the person. */
  | "unknown"
  /** The user with this email address is another person at the provider. */
  | "other_person"
  /**
   * The user's accounts all came by groups, and no group maps to an account any more. The user's sessions have ended. One viewer's
   * membership without effect is left, so that the next sign-in with a group finds the same user.
   */
  | "no_group"
  | PlaceFault;

export type ProviderEntry =
  /** `withoutPlace`: accounts of the person's groups that take no further user. */
  | { type: "entered"; user: User; changes: ProviderChange[]; withoutPlace: { accountId: string; fault: PlaceFault }[] }
  /** `user`: whom it is about, as before the changes. */
  | { type: "refused"; reason: ProviderRefusal; user: User | null; changes: ProviderChange[] };

/** A sign-out at the provider. At least one of the two is given. */
export interface ProviderSignOut {
  issuer: string;
  subject: string | null;
  /** The provider's session. */
  sid: string | null;
}

export interface ProviderSignIns {
  /**
   * Finds or creates the user of a person: by the subject, else by the email address of a user or of an invitation, else by a group. An
   * invitation of another account than those of the groups does not count, nor do invitations of several accounts. Then the user's
   * memberships by groups become those that the groups give; others stay, and go before those of groups in their accounts, unless the user is
   * linked (see ProviderChange). Operators get none. Of several calls for one person at the same time, one creates a user.
   */
  enterByProvider(signIn: ProviderSignIn): Promise<ProviderEntry>;
  /** Ends sessions that began at the provider: those of its session, or all of the person. Returns the users who had any. */
  endProviderSessions(signOut: ProviderSignOut): Promise<{ user: User; sessions: number }[]>;
}
