/** @jsxRuntime automatic @jsxImportSource preact */
/**
 * The first start: the service logs a link that creates the first user, an operator, once. Every node logs the same link, and
 * answers it. The spool has the seed of its token, which says nothing without the master key.
 */
import { createHash, timingSafeEqual } from "node:crypto";
import type { Context } from "koa";
import type { Credentials } from "../auth/credentials.ts";
import { beginSession } from "../auth/sessions.ts";
import { signedOutPage } from "../views/layout.tsx";
import { newUserFault, PasswordField } from "../views/new-user-form.tsx";
import { EmailField, SignedOutForm } from "../views/signed-out-form.tsx";
import { field, rawField } from "../web/form.ts";
import { notFound } from "../web/page-error.ts";
import type { DashboardParts } from "../web/parts.ts";

export interface Setup {
  pages: Record<string, (ctx: Context) => Promise<unknown>>;
  /** Returns the link; null once a user exists. */
  url(): Promise<string | null>;
}

export function createSetup(parts: DashboardParts, credentials: Credentials): Setup {
  const setup = new SetupPages(parts, credentials);
  return {
    url: () => setup.url(),
    pages: {
      "GET /setup/:token": (ctx) => setup.show(ctx),
      "POST /setup/:token": (ctx) => setup.createUser(ctx),
    },
  };
}

class SetupPages {
  readonly #parts: DashboardParts;
  readonly #credentials: Credentials;

  constructor(parts: DashboardParts, credentials: Credentials) {
    this.#parts = parts;
    this.#credentials = credentials;
  }

  async url(): Promise<string | null> {
    const token = await this.#token();
    return token === null ? null : `${this.#parts.publicUrl}/dashboard/setup/${token}`;
  }

  async show(ctx: Context): Promise<string> {
    await this.#requireToken(ctx);
    return setupPage(ctx.path, { email: "" });
  }

  async createUser(ctx: Context): Promise<unknown> {
    await this.#requireToken(ctx);
    const email = field(ctx, "email");
    const password = rawField(ctx, "password");
    const fault = newUserFault(email, password);
    if (fault !== null) {
      ctx.status = 400;
      return setupPage(ctx.path, { email, error: fault });
    }
    await this.#createOperator(email, password);
    const user = await this.#parts.people.userNamed(email);
    if (user === null) throw new Error("the first user is missing after its creation");
    await beginSession(ctx, this.#parts, user);
    ctx.redirect("/dashboard/start");
  }

  async #createOperator(email: string, password: string): Promise<void> {
    const { registry, clock } = this.#parts;
    const account = await registry.accountNamed("default");
    if (account === null) throw new Error("the spool has no account named default");
    const passwordHash = await this.#credentials.hashPassword(password, "setup");
    const user = { email, accountId: account.id, passwordHash, operator: true, createdAtMs: clock.now() };
    if ((await registry.createFirstUser(user)) === "has_users") throw notFound();
  }

  /** Null once there is a user. */
  async #token(): Promise<string | null> {
    const { registry, secrets } = this.#parts;
    const seed = await registry.setupSeed();
    return seed === null ? null : secrets.token(`setup link ${seed}`);
  }

  async #requireToken(ctx: Context): Promise<void> {
    const token = await this.#token();
    if (token === null || !timingSafeEqual(sha256(ctx.params.token ?? ""), sha256(token))) throw notFound();
  }
}

const sha256 = (text: string): Buffer => createHash("sha256").update(text).digest();

function setupPage(action: string, { email, error }: { email: string; error?: string }): string {
  return signedOutPage({
    title: "Set up Postrider",
    children: (
      <>
        <h1>Set up Postrider</h1>
        <p>
          Create the first user. This user is an operator: operators see all accounts, and can add accounts and users.
        </p>
        <SignedOutForm action={action} error={error} button="Create user">
          <EmailField value={email} />
          <PasswordField />
        </SignedOutForm>
      </>
    ),
  });
}
