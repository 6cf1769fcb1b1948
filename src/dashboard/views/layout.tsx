/** @jsxRuntime automatic @jsxImportSource preact */
/**
 * The layout of every page: head, navigation and main content. Operators see more of the navigation.
 */
import type { ComponentChildren } from "preact";
import { renderToString } from "preact-render-to-string";
import { GRACE_MS } from "../../spool/port/accounts.ts";
import { ownAccountId } from "../../spool/port/memberships.ts";
import type { KeptForm } from "../auth/kept-form.ts";
import { mayRequest } from "../auth/roles.ts";
import type { AuthContext } from "../auth/sessions.ts";
import { assetUrl } from "../web/assets.ts";
import { AccountSwitcher, MemberSwitcher } from "./account-switcher.tsx";
import { Notice, PostForm, Timestamp } from "./components.tsx";
import { Icon, type IconName, Logo } from "./icons.tsx";
import { KeptFormContext, KeptFormOnPage } from "./kept-form.tsx";
import { Allowed, PermissionsContext } from "./permissions.tsx";

export interface PageProps {
  title: string;
  children: ComponentChildren;
  /** File names of scripts in addition to those of every page. */
  scripts?: string[];
  /** File names of style sheets in addition to dashboard.css. */
  styles?: string[];
}

interface Link {
  path: string;
  text: string;
  icon: IconName;
}

const LINKS: Link[] = [
  { path: "", text: "Overview", icon: "overview" },
  { path: "/messages", text: "Messages", icon: "messages" },
  { path: "/domains", text: "Domains", icon: "domains" },
  { path: "/keys", text: "API keys", icon: "keys" },
  { path: "/requests", text: "API requests", icon: "requests" },
  { path: "/webhooks", text: "Webhooks", icon: "webhooks" },
  { path: "/notices", text: "Notices", icon: "notices" },
  { path: "/users", text: "Users", icon: "accounts" },
  { path: "/api", text: "API reference", icon: "api" },
  { path: "/docs", text: "Documentation", icon: "docs" },
  { path: "/start", text: "Get started", icon: "start" },
];

const OPERATOR_LINKS: Link[] = [
  { path: "/operator/queue", text: "Queue", icon: "queue" },
  { path: "/operator/receivers", text: "Receivers", icon: "domains" },
  { path: "/operator/addresses", text: "Addresses", icon: "addresses" },
  { path: "/operator/accounts", text: "Accounts", icon: "accounts" },
  { path: "/operator/nodes", text: "Nodes", icon: "nodes" },
  { path: "/operator/notices", text: "All notices", icon: "notices" },
  { path: "/operator/audit", text: "Audit trail", icon: "requests" },
  { path: "/operator/host", text: "This server", icon: "host" },
];

/**
 * Renders a page for a signed-in user, with the request's kept form: filled in, or, if the page no longer has that form, as a list of
 * what was typed. `at` is the page's path below /dashboard, for the navigation.
 */
export function signedInPage(auth: AuthContext, at: string, page: PageProps): string {
  const kept = auth.keptForm ? new KeptFormOnPage(auth.keptForm) : null;
  const { scripts = [] } = page;
  const head = { ...page, scripts: auth.user.operator ? [...scripts, "switcher.js"] : scripts };
  const render = (notice: ComponentChildren): string =>
    document(
      head,
      <KeptFormContext.Provider value={kept}>
        <SignedInFrame auth={auth} at={at} notice={notice}>
          {page.children}
        </SignedInFrame>
      </KeptFormContext.Provider>,
    );
  const html = render(null);
  return kept === null || kept.isShown ? html : render(<LostForm form={kept.form} />);
}

interface SignedInFrameProps {
  auth: AuthContext;
  at: string;
  /** Shown above everything else. */
  notice: ComponentChildren;
  children: ComponentChildren;
}

function SignedInFrame({ auth, at, notice, children }: SignedInFrameProps) {
  const permissions = (request: string): boolean => mayRequest(auth, request);
  return (
    <PermissionsContext.Provider value={permissions}>
      <div class="frame">
        <SkipLink />
        <header class="side">
          <Brand />
          <MenuButton />
          <div class="side-menu">
            {auth.user.operator ? <AccountSwitcher auth={auth} /> : <MemberSwitcher auth={auth} />}
            <nav aria-label="Main">
              <NavLinks links={LINKS} at={at} />
              {auth.user.operator ? (
                <>
                  <p class="nav-title" id="nav-operator">
                    Operator
                  </p>
                  <NavLinks links={OPERATOR_LINKS} at={at} labelledBy="nav-operator" />
                </>
              ) : null}
            </nav>
            <div class="signed-in">
              <a
                href="/dashboard/account"
                aria-current={at === "/account" ? "page" : undefined}
                class="signed-in-account"
              >
                Account <strong>{auth.account.name}</strong>
              </a>
              <a
                href="/dashboard/you"
                aria-current={at === "/you" ? "page" : undefined}
                class="signed-in-email cut"
                title={auth.user.email}
              >
                {auth.user.email}
              </a>
              <PostForm action="/dashboard/sign-out" formToken={auth.formToken}>
                <button type="submit" class="small plain">
                  Sign out
                </button>
              </PostForm>
            </div>
          </div>
        </header>
        <main id="content" tabIndex={-1}>
          {notice}
          {auth.user.operator && auth.account.id !== ownAccountId(auth.user) ? (
            <OtherAccountNotice auth={auth} />
          ) : null}
          {auth.account.deletedAtMs === null ? null : (
            <DeletedNotice auth={auth} deletedAtMs={auth.account.deletedAtMs} />
          )}
          {children}
        </main>
      </div>
    </PermissionsContext.Provider>
  );
}

/** Renders a page for visitors without a session, at full width. */
export function publicPage(page: PageProps): string {
  return document(
    page,
    <div class="public">
      <SkipLink />
      <header class="public-head">
        <Brand />
        <a class="button" href="/dashboard/sign-in">
          Sign in
        </a>
      </header>
      <main id="content" tabIndex={-1}>
        {page.children}
      </main>
    </div>,
  );
}

/** Renders a narrow page without navigation: sign-in, setup, errors without a session. */
export function signedOutPage(page: PageProps): string {
  return document(
    page,
    <main id="content" class="alone">
      <p class="brand">
        <Logo />
        Postrider
      </p>
      {page.children}
    </main>,
  );
}

/** Renders a narrow page without navigation, scripts and brand, which search engines do not list: for recipients of messages. */
export function plainPage({ title, children }: Pick<PageProps, "title" | "children">): string {
  const page = (
    <html lang="en">
      <head>
        <Meta />
        <meta name="robots" content="noindex, nofollow" />
        <title>{title}</title>
        <link rel="stylesheet" href={assetUrl("dashboard.css")} />
      </head>
      <body>
        <main id="content" class="alone">
          {children}
        </main>
      </body>
    </html>
  );
  return `<!doctype html>${renderToString(page)}`;
}

/** Shows the navigation on narrow screens: a checkbox, whose state the style sheet reads, so that it needs no script. */
function MenuButton() {
  return (
    <>
      <input type="checkbox" id="menu" class="menu-toggle unseen" autoComplete="off" />
      <label for="menu" class="menu-button button small">
        <Icon name="queue" />
        Menu
      </label>
    </>
  );
}

function NavLinks({ links, at, labelledBy }: { links: Link[]; at: string; labelledBy?: string }) {
  const isCurrent = ({ path }: Link): boolean => at === path || (path !== "" && at.startsWith(`${path}/`));
  return (
    <ul {...(labelledBy === undefined ? {} : { "aria-labelledby": labelledBy })}>
      {links.map((link) => (
        <li key={link.path}>
          <a href={`/dashboard${link.path}`} aria-current={isCurrent(link) ? "page" : undefined}>
            <Icon name={link.icon} />
            {link.text}
          </a>
        </li>
      ))}
    </ul>
  );
}

function LostForm({ form: { fields } }: { form: Pick<KeptForm, "fields"> }) {
  return (
    <div id="kept-form">
      <Notice tone="warn">
        <p>Your session had ended, so nothing was sent. The form is no longer on this page. You had typed:</p>
        <ul>
          {fields
            .filter(([, value]) => value !== "")
            .map(([name, value]) => (
              <li key={name}>
                {name}: {value}
              </li>
            ))}
        </ul>
      </Notice>
    </div>
  );
}

function DeletedNotice({ auth, deletedAtMs }: { auth: AuthContext; deletedAtMs: number }) {
  return (
    <div class="notice warn other-account">
      <Icon name="warn" />
      <div>
        The account <strong>{auth.account.name}</strong> is deleted: its API keys are rejected. At{" "}
        <Timestamp atMs={deletedAtMs + GRACE_MS} /> its users, keys, domains and webhooks are removed. Until then,{" "}
        {auth.isDeletedByOwner ? "an owner or an operator" : "only an operator"} can restore it.
      </div>
      <Allowed to="POST /account/restore">
        <PostForm action="/dashboard/account/restore" formToken={auth.formToken}>
          <button type="submit" class="small">
            Restore account
          </button>
        </PostForm>
      </Allowed>
    </div>
  );
}

function OtherAccountNotice({ auth }: { auth: AuthContext }) {
  return (
    <div class="notice quiet other-account">
      <Icon name="accounts" />
      <div>
        Your current account is <strong>{auth.account.name}</strong>, which is not your own.
      </div>
      <PostForm
        action="/dashboard/operator/look"
        formToken={auth.formToken}
        entry={{ account: ownAccountId(auth.user) }}
      >
        <button type="submit" class="small">
          Switch to your own account
        </button>
      </PostForm>
    </div>
  );
}

function document({ title, scripts = [], styles = [] }: PageProps, body: ComponentChildren): string {
  const page = (
    <html lang="en">
      <head>
        <Meta />
        <title>{`${title} · Postrider`}</title>
        {[...styles, "dashboard.css"].map((name) => (
          <link key={name} rel="stylesheet" href={assetUrl(name)} />
        ))}
        {/* Not a module: it runs before the page is drawn. */}
        <script src={assetUrl("scripted.js")} />
        {["times.js", "copy.js", "live.js", "keys.js", ...scripts].map((name) => (
          <script key={name} type="module" src={assetUrl(name)} />
        ))}
      </head>
      <body>{body}</body>
    </html>
  );
  return `<!doctype html>${renderToString(page)}`;
}

function Meta() {
  return (
    <>
      <meta charSet="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <meta name="color-scheme" content="light dark" />
      <link rel="icon" href={assetUrl("icon.svg")} type="image/svg+xml" />
    </>
  );
}

/** For keyboard users: jumps over the navigation. */
function SkipLink() {
  return (
    <a class="skip" href="#content">
      Skip to content
    </a>
  );
}

function Brand() {
  return (
    <a class="brand" href="/dashboard">
      <Logo />
      Postrider
    </a>
  );
}
