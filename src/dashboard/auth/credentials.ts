/**
 * Whether a password or a code is right, within bounds on guessing and on work. Failures are counted where the guesser
 * cannot get away from them and a stranger cannot pile them on others:
 *
 * - a password at sign-in: for the address together with the client's network, and for the address from everywhere with
 *   short waits only; from a browser that the user has used before, for that browser alone;
 * - the password of somebody signed in: for the user;
 * - a code: for the user, whatever ticket or session it comes by, and for the client's network.
 *
 * A client's network alone is never refused a password: behind a proxy it may be everybody's.
 */
import type { Context } from "koa";
import { clientAddress, clientNetwork } from "../../lib/client-address.ts";
import { dummyHash, hashPassword, PASSWORD_LENGTH_MAX, verifyPassword } from "../../security/passwords.ts";
import type { User } from "../../spool/port/people.ts";
import { PageRefusal } from "../web/page-error.ts";
import type { DashboardParts } from "../web/parts.ts";
import { type Line, Turns } from "./bounded-executor.ts";
import { deviceOf } from "./device.ts";
import { isSecondFactor } from "./second-factor.ts";
import type { Visit } from "./sessions.ts";
import { type AttemptRule, Attempts } from "./sign-in-attempts.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

const PASSWORD: AttemptRule = { free: 5, waitMs: MINUTE_MS, waitMaxMs: 15 * MINUTE_MS, forgetMs: HOUR_MS };
const PASSWORD_FROM_EVERYWHERE: AttemptRule = { free: 50, waitMs: 1000, waitMaxMs: MINUTE_MS, forgetMs: HOUR_MS };
/** A code has a million values and three are right: what is free must not come back soon. */
const CODE: AttemptRule = { free: 10, waitMs: MINUTE_MS, waitMaxMs: HOUR_MS, forgetMs: 24 * HOUR_MS };
const CODE_FROM_HERE: AttemptRule = { free: 50, waitMs: MINUTE_MS, waitMaxMs: 5 * MINUTE_MS, forgetMs: HOUR_MS };

/** The rest waits; one core of two stays free of it. */
const TURNS = { atOnce: 1, waitingMax: 30, waitingOfOneMax: 8 };
/** For whom no turn was free. */
const BUSY_WAIT_MS = 5000;

export type Refused =
  | { type: "wrong" }
  | { type: "too_many"; waitMs: number }
  /** Too many others are being checked. */
  | { type: "busy"; waitMs: number };

/** `settle` takes the failure back that was counted beforehand; to be called once nothing more is asked. */
export type Checked = { type: "right"; settle: () => void } | Refused;

export interface Credentials {
  /** The request's password for an address. Nobody's address and a wrong password cannot be told apart. */
  signIn(ctx: Context, email: string, password: string): Promise<(Checked & { type: "right"; user: User }) | Refused>;
  /** The password of somebody who is signed in. */
  password(visit: Visit, password: string): Promise<Checked>;
  /** A code of the second factor; it is spent when it is right. */
  code(ctx: Context, user: User, code: string): Promise<Checked>;
  /** A hash to be stored. Throws PageRefusal when too much waits. */
  hash(password: string, userId: string): Promise<string>;
}

/** A name, and what counts its failures. */
type Counted = [Attempts, string];

export function createCredentials(parts: DashboardParts): Credentials {
  const { people, clock } = parts;
  const networkOf = (ctx: Context): string => clientNetwork(clientAddress(ctx.req, parts.trustedProxies));
  const strangers = new Attempts(PASSWORD);
  const fromEverywhere = new Attempts(PASSWORD_FROM_EVERYWHERE);
  const known = new Attempts(PASSWORD);
  const codes = new Attempts(CODE);
  const codesFromHere = new Attempts(CODE_FROM_HERE);
  const turns = new Turns(TURNS);
  /** What is compared where there is no user. */
  const nobody = dummyHash();

  async function compare(counted: Counted[], waiter: Waiter, { password, hash }: Comparison): Promise<Checked> {
    const waitMs = count(counted, clock.monotonicMs());
    if (waitMs > 0) return { type: "too_many", waitMs };
    const cut = password.slice(0, PASSWORD_LENGTH_MAX);
    const matches = await turns.take(waiter, () => verifyPassword(cut, hash));
    const settle = () => takeBack(counted);
    if (matches === true) return { type: "right", settle };
    if (matches === false) return { type: "wrong" };
    // Nothing was compared, so nothing was guessed.
    settle();
    return { type: "busy", waitMs: BUSY_WAIT_MS };
  }

  return {
    async signIn(ctx, email, password) {
      const user = await people.userNamed(email);
      const device = user === null ? null : deviceOf(ctx, parts, user);
      const [name, network] = [email.toLowerCase(), networkOf(ctx)];
      const asStranger: Counted[] = [
        [strangers, `${name} ${network}`],
        [fromEverywhere, name],
      ];
      const counted: Counted[] = device === null ? asStranger : [[known, `device ${device}`]];
      const waiter: Waiter = device === null ? { line: "strangers", name: network } : { line: "known", name: device };
      const checked = await compare(counted, waiter, { password, hash: user?.passwordHash ?? nobody });
      if (checked.type !== "right") return checked;
      return user === null ? { type: "wrong" } : { ...checked, user };
    },

    password: ({ user }, password) =>
      compare([[known, `user ${user.id}`]], waiterOf(user.id), { password, hash: user.passwordHash }),

    async code(ctx, user, code) {
      const network = networkOf(ctx);
      const counted: Counted[] = [
        [codes, user.id],
        [codesFromHere, network],
      ];
      const waitMs = count(counted, clock.monotonicMs());
      if (waitMs > 0) return { type: "too_many", waitMs };
      if (!(await isSecondFactor(parts, user, code))) return { type: "wrong" };
      const settle = () => {
        codes.forget(user.id);
        codesFromHere.takeBack(network);
      };
      return { type: "right", settle };
    },

    async hash(password, userId) {
      const hash = await turns.take(waiterOf(userId), () => hashPassword(password));
      if (hash === null) throw new PageRefusal("busy");
      return hash;
    },
  };
}

interface Waiter {
  line: Line;
  name: string;
}

interface Comparison {
  password: string;
  hash: string;
}

const waiterOf = (userId: string): Waiter => ({ line: "known", name: userId });

/** Counts a failure for each name, unless one of them has to wait: then the longest wait, and nothing is counted. */
function count(counted: Counted[], nowMs: number): number {
  const waitMs = Math.max(...counted.map(([attempts, name]) => attempts.waitMs(name, nowMs)));
  if (waitMs === 0) for (const [attempts, name] of counted) attempts.failed(name, nowMs);
  return waitMs;
}

function takeBack(counted: Counted[]): void {
  for (const [attempts, name] of counted) attempts.takeBack(name);
}

/** Sets the answer's status, and says in a sentence why it goes no further. */
export function sayRefused(ctx: Context, refused: Refused, wrong: { status: number; sentence: string }): string {
  if (refused.type === "wrong") {
    ctx.status = wrong.status;
    return wrong.sentence;
  }
  const waitS = Math.max(1, Math.ceil(refused.waitMs / 1000));
  const wait = waitS < 120 ? `${waitS} seconds` : `${Math.ceil(waitS / 60)} minutes`;
  const refusal =
    refused.type === "busy"
      ? new PageRefusal("busy")
      : new PageRefusal("too_many_attempts", `Too many attempts. Wait ${wait}, then try again.`);
  ctx.status = refusal.status;
  ctx.set("Retry-After", String(waitS));
  return refusal.message;
}
