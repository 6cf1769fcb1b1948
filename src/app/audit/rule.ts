/**
 * What the audit trail has to say about a method of the store. Each method has a rule, or does not compile: that it only reads, the reason
 * why it is not recorded, or how its change is described.
 */
import type { Store } from "../../spool/port/store.ts";
import type { Change } from "./change.ts";

export interface RuleContext {
  /** For reading what is there before the change. */
  store: Store;
  nowMs: number;
  /** The account that the actor acts in; null for none. */
  accountId: string | null;
}

/** Describes a change by what the method returned. Null or none if nothing has changed. */
export type Describe<Value> = (value: Value) => Change | readonly Change[] | null;

/** Called before the change, with its arguments. */
export type Description<Args extends unknown[], Value> = (
  context: RuleContext,
  ...args: Args
) => Promise<Describe<Value>> | Describe<Value>;

export interface NotAudited {
  /** The reason. */
  notAudited: string;
}

export type Rule<Member> =
  | "read"
  | NotAudited
  | (Member extends (...args: infer Args) => Promise<infer Value> ? Description<Args, Value> : never);

/** A rule for every method of a port. */
export type Rules<Port> = { readonly [Name in keyof Port]-?: Rule<Port[Name]> };

/** Methods that only read. */
export const reads = <Name extends string>(...names: readonly Name[]): Record<Name, "read"> =>
  Object.fromEntries(names.map((name) => [name, "read"])) as Record<Name, "read">;

/** Methods that are not recorded, for one reason. */
export const notAudited = <Name extends string>(reason: string, ...names: readonly Name[]): Record<Name, NotAudited> =>
  Object.fromEntries(names.map((name) => [name, { notAudited: reason }])) as Record<Name, NotAudited>;
