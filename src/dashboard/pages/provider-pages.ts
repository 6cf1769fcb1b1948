/**
 * Routes for signing in by the identity provider, which stands for password and second factor. A person is the user with the provider's
 * subject, else of the verified email address, else of an invitation to it, else of a group that maps to an account; every such group of the
 * person gives a membership. Others are refused, and nothing is created for them.
 */
import type { Context } from "koa";
import type { IdentityProvider, ProviderPerson } from "../../identity/identity-provider.ts";
import { ProviderUnavailable } from "../../identity/provider-fetch.ts";
import { ProviderRejected } from "../../identity/provider-rejected.ts";
import { dummyHash } from "../../security/passwords.ts";
import { membershipIn, ownAccountId } from "../../spool/port/memberships.ts";
import type { User } from "../../spool/port/people.ts";
import type { GroupGrant, ProviderRefusal } from "../../spool/port/provider-sign-ins.ts";
import { type Credentials, reject } from "../auth/credentials.ts";
import { beginFlow, keepIdToken, takeFlow } from "../auth/provider-flow.ts";
import { authenticate, beginSession, CONFIRMED_MS, PROVIDER_LIFETIME_MS } from "../auth/sessions.ts";
import { type SignInTarget, signInTarget } from "../auth/sign-in-target.ts";
import { emailFault } from "../views/new-user-form.tsx";
import { PROVIDER_PATH } from "../views/provider-form.tsx";
import { field } from "../web/form.ts";
import { PageError } from "../web/page-error.ts";
import type { DashboardParts } from "../web/parts.ts";
import { formPage, type IsPage } from "./ended-session.ts";
import { INVITATION_PATH } from "./invitation-pages.tsx";
import { leavingPage } from "./leaving-page.tsx";
import { dashboardPath } from "./sign-in-page.tsx";

const RETURN_PATH = `${PROVIDER_PATH}/return`;

/** The provider sends the browser there, with a GET that begins a session. */
export const RETURN_ROUTE = "GET /sign-in/provider/return";

export interface ProviderPageParts {
  parts: DashboardParts;
  credentials: Credentials;
  isPage: IsPage;
}

/** No routes without a provider. */
export function createProviderPages(pageParts: ProviderPageParts): Record<string, (ctx: Context) => Promise<unknown>> {
  const { provider } = pageParts.parts;
  if (provider === null) return {};
  const pages = new ProviderPages(pageParts, provider);
  return {
    "POST /sign-in/provider": (ctx) => pages.begin(ctx),
    [RETURN_ROUTE]: (ctx) => pages.finish(ctx),
    "POST /sign-in/provider/ended": (ctx) => pages.endSessions(ctx),
  };
}

const REFUSALS: Record<ProviderRefusal, string> = {
  unknown:
    "There is no user or invitation for your email address here, and none of your groups has an account. Ask an owner of the account to invite this address. If you have invitations of several accounts, open the link of the one that you want.",
  other_person:
    "The user with your email address belongs to another person at the identity provider. An owner of the account can remove that user and invite you.",
  no_group: "None of your groups at the identity provider has an account here any more. Your sessions have ended.",
  too_many_users:
    "The account of your group has as many users as it may have. Ask an owner of the account to remove one.",
  account_deleted: "The account of your group is deleted.",
};

class ProviderPages {
  readonly #parts: DashboardParts;
  readonly #credentials: Credentials;
  readonly #isPage: IsPage;
  readonly #provider: IdentityProvider;
  readonly #returnUrl: string;

  constructor({ parts, credentials, isPage }: ProviderPageParts, provider: IdentityProvider) {
    this.#parts = parts;
    this.#credentials = credentials;
    this.#isPage = isPage;
    this.#provider = provider;
    this.#returnUrl = `${parts.publicUrl}${RETURN_PATH}`;
  }

  /** With the field `again`, of a signed-in user, the provider must ask for the person's proof again. */
  async begin(ctx: Context): Promise<string> {
    const isAgain = field(ctx, "again") !== "" && (await authenticate(ctx, this.#parts)) !== null;
    const next = isAgain ? formPage(ctx, this.#isPage) : dashboardPath(field(ctx, "next"));
    const maxAgeS = isAgain ? CONFIRMED_MS / 1000 : null;
    const begun = await this.#ask(ctx, () => this.#provider.begin(this.#returnUrl, { maxAgeS }));
    beginFlow(ctx, this.#parts, { checks: begun.checks, next, kept: field(ctx, "kept") });
    return leavingPage(ctx, { name: this.#provider.name, url: begun.url, title: "Sign in" });
  }

  async finish(ctx: Context): Promise<void> {
    const flow = takeFlow(ctx, this.#parts);
    if (flow === null) throw new PageError("provider_rejected", this.#lostSentence());
    const check = await this.#credentials.checkReturn(ctx);
    if (check.type !== "right") throw new PageError("too_many_attempts", reject(ctx, check));
    const url = new URL(`${this.#returnUrl}${ctx.search}`);
    const person = await this.#ask(ctx, () => this.#provider.finish(url, flow.checks));
    await check.clearFailures();
    const { user, accountId, isInvited } = await this.#entryOf(person);
    // The link of the invitation is used.
    const next = isInvited && flow.next.startsWith(INVITATION_PATH) ? "/dashboard" : flow.next;
    await this.#enter(ctx, { user, person, flow: { ...flow, next, accountId } });
  }

  /** The provider itself reports that a session has ended there. */
  async endSessions(ctx: Context): Promise<void> {
    const check = await this.#credentials.checkReturn(ctx);
    if (check.type !== "right") throw new PageError("too_many_attempts", reject(ctx, check));
    const ended = await this.#ask(ctx, () => this.#provider.endedSession(field(ctx, "logout_token")));
    await check.clearFailures();
    await this.#parts.registry.endProviderSessions({ issuer: this.#provider.issuer, ...ended });
    ctx.status = 200;
    ctx.body = "";
  }

  async #enter(
    ctx: Context,
    { user, person, flow }: { user: User; person: ProviderPerson; flow: SignInTarget & { kept: string } },
  ): Promise<void> {
    const former = await authenticate(ctx, this.#parts);
    const own = former?.user.id === user.id ? former : null;
    const target = await signInTarget(this.#parts, user, flow);
    // Who has signed in again stays in the account that is current.
    const accountId = own !== null && target.next === flow.next ? own.account.id : target.accountId;
    const { sid, authAtMs, idToken } = person;
    await beginSession(ctx, this.#parts, user, { accountId, provider: { sid, authAtMs } });
    if (own !== null) await this.#parts.people.endSession(user.id, own.session.hash);
    keepIdToken(ctx, this.#parts, idToken, PROVIDER_LIFETIME_MS);
    ctx.redirect(former === null || own !== null ? target.next : "/dashboard");
  }

  /**
   * `accountId`: where the session begins, the first account of the person's groups, else the user's own. Throws `provider_refused` for a person
   * without a user here.
   */
  async #entryOf(person: ProviderPerson): Promise<{ user: User; accountId: string; isInvited: boolean }> {
    const { registry, clock, limits, log } = this.#parts;
    const { subject, email } = person;
    if (email === null || emailFault(email) !== null) {
      throw new PageError(
        "provider_refused",
        "The identity provider has not confirmed that your email address is yours (email_verified), so it cannot be used here.",
      );
    }
    if (!(await registry.hasUsers())) {
      // The first user is an operator, only by the setup link.
      throw new PageError("provider_refused", "No user exists yet. Open the setup link that the service has logged.");
    }
    const grants = await this.#grantsOf(person);
    const entry = await registry.enterByProvider({
      issuer: this.#provider.issuer,
      subject,
      email,
      grants,
      passwordHash: dummyHash(),
      nowMs: clock.now(),
      usersMax: limits.usersMax,
    });
    if (entry.type === "entered") {
      const { user, changes, withoutPlace } = entry;
      for (const each of withoutPlace) log.warn({ userId: user.id, ...each }, "no place in the account of a group");
      const given = user.operator ? undefined : grants.find((grant) => membershipIn(user, grant.accountId) !== null);
      const accountId = given?.accountId ?? ownAccountId(user);
      return { user, accountId, isInvited: changes.some(({ type }) => type === "invited") };
    }
    if (entry.user !== null) await this.#parts.failedSignIn(entry.user.email, "identity provider");
    throw new PageError("provider_refused", REFUSALS[entry.reason]);
  }

  /** What the person's groups give, of accounts that exist. The first entry of an account counts. */
  async #grantsOf({ groups }: ProviderPerson): Promise<GroupGrant[]> {
    const { groupMappings, registry, log } = this.#parts;
    const own = new Set(groups);
    const grants = new Map<string, GroupGrant>();
    for (const { group, account: name, role } of groupMappings) {
      if (!own.has(group)) continue;
      const account = await registry.accountNamed(name);
      if (account === null) log.warn({ group, account: name }, "OIDC_GROUPS names an account that does not exist");
      else if (!grants.has(account.id)) grants.set(account.id, { accountId: account.id, role });
    }
    return [...grants.values()];
  }

  async #ask<T>(ctx: Context, request: () => Promise<T>): Promise<T> {
    try {
      return await this.#credentials.askProvider(ctx, request);
    } catch (error) {
      throw this.#pageErrorFor(error);
    }
  }

  #pageErrorFor(error: unknown): unknown {
    const { log } = this.#parts;
    const { name } = this.#provider;
    if (error instanceof ProviderUnavailable) {
      log.warn({ fault: error.message }, "identity provider unavailable");
      const sentence = `The identity provider ${name} does not respond as it should. Try again in a moment. ${this.#passwordSentence()}`;
      return new PageError("provider_unavailable", sentence);
    }
    if (error instanceof ProviderRejected) {
      log.warn({ fault: error.message }, "sign-in by the identity provider failed");
      const reason = error.code === null ? "its reply is not valid" : `it responded ${error.code}`;
      return new PageError("provider_rejected", `${name} has not signed you in: ${reason}. Start the sign-in again.`);
    }
    return error;
  }

  #passwordSentence(): string {
    return this.#parts.passwordSignIn === "on"
      ? "Or sign in with your password, if you have one."
      : "Operators can sign in with their password.";
  }

  #lostSentence(): string {
    return `This sign-in was begun in another browser, at another address than ${this.#parts.publicUrl}, or more than 15 minutes ago. Start it again there.`;
  }
}
