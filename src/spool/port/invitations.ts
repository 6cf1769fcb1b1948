/**
 * Invitations to an account: links with which somebody becomes its user, or a user of another account joins it. Only the hash of a link's token is stored, and each link is
 * used once. Times are milliseconds since the epoch. Every method rejects with SpoolUnavailable as the
 * spool's do (see errors.ts).
 */
import { DAY_MS } from "../../lib/units.ts";
import type { Role } from "./memberships.ts";
import type { LinkUse } from "./password-resets.ts";

/** How long an invitation is open. */
export const INVITATION_MS = 7 * DAY_MS;

export interface Invitation {
  id: string;
  accountId: string;
  email: string;
  role: Role;
  /** The email address of the user who invites, or `command line`. */
  invitedBy: string;
  createdAtMs: number;
}

export interface NewInvitation extends Invitation {
  /** SHA-256 of the token in the link. */
  hash: Buffer;
  /** Users and open invitations that the account may have together. */
  usersMax: number;
}

/** An invitation that a user of another account accepts. */
export interface InvitationUse {
  hash: Buffer;
  userId: string;
  nowMs: number;
}

export interface Invitations {
  /**
   * Replaces an earlier invitation of this email address to this account. Returns "is_member" if the account has a user with it,
   * and "gone" if the account is deleted.
   */
  createInvitation(invitation: NewInvitation): Promise<"created" | "is_member" | "too_many" | "gone">;
  /** The open ones of an account, the newest first. */
  invitations(accountId: string, nowMs: number): Promise<Invitation[]>;
  /** The open invitation with this hash. */
  invitationOf(hash: Buffer, nowMs: number): Promise<Invitation | null>;
  /**
   * Creates the user, with the role of the invitation, and removes the invitation. Returns "gone" unless it is open and its account
   * is not deleted, and "exists" if there is a user with this email address in any account.
   */
  acceptInvitation(use: LinkUse): Promise<{ userId: string } | "gone" | "exists">;
  /**
   * The signed-in user joins the account with the role of the invitation, which is removed. Returns "gone" as acceptInvitation does,
   * "other_address" if it is for another email address than the user's, and "is_member" if the user belongs to the account already.
   */
  joinByInvitation(use: InvitationUse): Promise<"joined" | "gone" | "other_address" | "is_member">;
  /** Returns false if the account has no such invitation. */
  revokeInvitation(accountId: string, invitationId: string): Promise<boolean>;
}
