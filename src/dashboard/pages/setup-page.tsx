/** @jsxRuntime automatic @jsxImportSource preact */
/**
 * The first start: the service logs a link that creates the first user, an operator, once. The link is held in memory, so
 * a restart makes a new one.
 */
import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import type { Context } from "koa";
import type { Credentials } from "../auth/credentials.ts";
import { beginSession } from "../auth/sessions.ts";
import { Field, Notice } from "../views/components.tsx";
import { signedOutPage } from "../views/layout.tsx";
import { newUserFault, PasswordField } from "../views/new-user-form.tsx";
import { field, rawField } from "../web/form.ts";
import { notFound } from "../web/page-error.ts";
import type { DashboardParts } from "../web/parts.ts";

const TOKEN_BYTES = 24;

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
  readonly #token = randomBytes(TOKEN_BYTES).toString("base64url");
  #isUsed = false;

  constructor(parts: DashboardParts, credentials: Credentials) {
    this.#parts = parts;
    this.#credentials = credentials;
  }

  async url(): Promise<string | null> {
    if (await this.#parts.registry.hasUsers()) return null;
    return `${this.#parts.publicUrl}/dashboard/setup/${this.#token}`;
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
    // Set before the first await: concurrent requests must create one user only.
    this.#isUsed = true;
    try {
      await this.#createOperator(email, password);
    } catch (error) {
      this.#isUsed = false;
      throw error;
    }
    const user = await this.#parts.people.userNamed(email);
    if (user === null) throw new Error("the first user is missing after its creation");
    await beginSession(ctx, this.#parts, user);
    ctx.redirect("/dashboard/start");
  }

  async #createOperator(email: string, password: string): Promise<void> {
    const { registry, clock, limits } = this.#parts;
    const account = await registry.accountNamed("default");
    if (account === null) throw new Error("the spool has no account named default");
    const passwordHash = await this.#credentials.hashPassword(password, "setup");
    const { usersMax } = limits;
    const createdAtMs = clock.now();
    await registry.createUser({ email, accountId: account.id, passwordHash, operator: true, createdAtMs, usersMax });
  }

  async #requireToken(ctx: Context): Promise<void> {
    const isToken = timingSafeEqual(sha256(ctx.params.token ?? ""), sha256(this.#token));
    if (!isToken || this.#isUsed || (await this.#parts.registry.hasUsers())) throw notFound();
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
        {error === undefined ? null : <Notice tone="bad">{error}</Notice>}
        <form method="post" action={action}>
          <Field
            label="Email address"
            name="email"
            type="email"
            value={email}
            required
            autoComplete="username"
            autoFocus
          />
          <PasswordField />
          <button type="submit" class="primary wide">
            Create user
          </button>
        </form>
      </>
    ),
  });
}
