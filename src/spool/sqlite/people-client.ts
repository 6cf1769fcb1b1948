/**
 * The part of the facade for users, sessions, second factors and password resets.
 */
import type { LinkUse, NewPasswordReset } from "../port/password-resets.ts";
import type { MemberChange, People, Session, SessionTimes } from "../port/people.ts";
import { SpoolClient } from "./spool-client.ts";

export class PeopleClient extends SpoolClient implements People {
  user(userId: string) {
    return this.reader.read((reads) => reads.user(userId));
  }

  userNamed(email: string) {
    return this.reader.read((reads) => reads.userNamed(email));
  }

  users(accountId: string | null) {
    return this.reader.read((reads) => reads.users(accountId));
  }

  setPassword(userId: string, passwordHash: string): Promise<void> {
    return this.writer.request("setPassword", { userId, passwordHash });
  }

  changeMember(change: MemberChange) {
    return this.writer.request("changeMember", change);
  }

  removeUser(userId: string): Promise<boolean> {
    return this.writer.request("removeUser", userId);
  }

  setTotp(userId: string, totp: { sealed: Buffer; recoveryHashes: Buffer[] } | null): Promise<void> {
    return this.writer.request("setTotp", { userId, totp });
  }

  spendTotpStep(userId: string, step: number): Promise<boolean> {
    return this.writer.request("spendTotpStep", { userId, step });
  }

  spendRecoveryCode(userId: string, hash: Buffer): Promise<boolean> {
    return this.writer.request("spendRecoveryCode", { userId, hash });
  }

  recoveryCodesLeft(userId: string) {
    return this.reader.read((reads) => reads.recoveryCodesLeft(userId));
  }

  startSession(session: Session): Promise<void> {
    return this.writer.request("startSession", session);
  }

  session(hash: Buffer) {
    return this.reader.read((reads) => reads.session(hash));
  }

  sessions(userId: string) {
    return this.reader.read((reads) => reads.sessions(userId));
  }

  touchSession(hash: Buffer, times: SessionTimes): Promise<void> {
    return this.writer.request("touchSession", { hash, ...times });
  }

  switchAccount(hash: Buffer, accountId: string): Promise<void> {
    return this.writer.request("switchAccount", { hash, accountId });
  }

  endSession(userId: string, hash: Buffer): Promise<boolean> {
    return this.writer.request("endSession", { userId, hash });
  }

  endSessions(userId: string, except: Buffer | null): Promise<number> {
    return this.writer.request("endSessions", { userId, except });
  }

  createPasswordReset(reset: NewPasswordReset): Promise<boolean> {
    return this.writer.request("createPasswordReset", reset);
  }

  passwordResetOf(hash: Buffer, nowMs: number) {
    return this.reader.read((reads) => reads.passwordResetOf(hash, nowMs));
  }

  resetPassword(use: LinkUse): Promise<string | null> {
    return this.writer.request("resetPassword", use);
  }
}
