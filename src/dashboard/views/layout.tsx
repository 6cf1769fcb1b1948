/** @jsxRuntime automatic @jsxImportSource preact */
/**
 * The frame of every page: head, navigation, the notices on top. Which parts of the navigation there are goes by who
 * looks.
 */
import type { ComponentChildren } from "preact";
import { renderToString } from "preact-render-to-string";
import type { Visit } from "../auth/sessions.ts";
import { assetUrl } from "../web/assets.ts";
import { PostForm } from "./components.tsx";
import { Icon, type IconName, Logo } from "./icons.tsx";

export interface PageProps {
  title: string;
  children: ComponentChildren;
  /** Scripts besides those of every page, by file name. */
  scripts?: string[];
  /** Styles besides the page's own, by file name. */
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
  { path: "/api", text: "API reference", icon: "api" },
  { path: "/start", text: "Get started", icon: "start" },
];

const OPERATOR_LINKS: Link[] = [
  { path: "/operator/queue", text: "Queue", icon: "queue" },
  { path: "/operator/accounts", text: "Accounts", icon: "accounts" },
  { path: "/operator/host", text: "Host", icon: "host" },
];

/** A page for somebody who is signed in. `at` is its path below /dashboard. */
export function signedInPage(visit: Visit, at: string, page: PageProps): string {
  return document(
    page,
    <div class="frame">
      <a class="skip" href="#content">
        Skip to content
      </a>
      <header class="side">
        <a class="brand" href="/dashboard">
          <Logo />
          Postrider
        </a>
        <nav aria-label="Main">
          <NavLinks links={LINKS} at={at} />
          {visit.user.operator ? (
            <>
              <p class="nav-title" id="nav-operator">
                Operator
              </p>
              <NavLinks links={OPERATOR_LINKS} at={at} labelledBy="nav-operator" />
            </>
          ) : null}
        </nav>
        <div class="who">
          <p class="who-account">
            Account <strong>{visit.account.name}</strong>
          </p>
          <a href="/dashboard/you" aria-current={at === "/you" ? "page" : undefined} class="who-email">
            {visit.user.email}
          </a>
          <PostForm action="/dashboard/sign-out" formToken={visit.formToken}>
            <button type="submit" class="small plain">
              Sign out
            </button>
          </PostForm>
        </div>
      </header>
      <main id="content" tabIndex={-1}>
        {visit.user.operator && visit.account.id !== visit.user.accountId ? <OtherAccount visit={visit} /> : null}
        {page.children}
      </main>
    </div>,
  );
}

/** A page for everybody, as wide as those for users. */
export function publicPage(page: PageProps): string {
  return document(
    page,
    <div class="public">
      <a class="skip" href="#content">
        Skip to content
      </a>
      <header class="public-head">
        <a class="brand" href="/dashboard">
          <Logo />
          Postrider
        </a>
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

/** A page for somebody who is not signed in. */
export function openPage(page: PageProps): string {
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

function NavLinks({ links, at, labelledBy }: { links: Link[]; at: string; labelledBy?: string }) {
  const isHere = ({ path }: Link): boolean => at === path || (path !== "" && at.startsWith(`${path}/`));
  return (
    <ul {...(labelledBy === undefined ? {} : { "aria-labelledby": labelledBy })}>
      {links.map((link) => (
        <li key={link.path}>
          <a href={`/dashboard${link.path}`} aria-current={isHere(link) ? "page" : undefined}>
            <Icon name={link.icon} />
            {link.text}
          </a>
        </li>
      ))}
    </ul>
  );
}

function OtherAccount({ visit }: { visit: Visit }) {
  return (
    <div class="notice quiet other-account">
      <Icon name="accounts" />
      <div>
        You are looking at the account <strong>{visit.account.name}</strong>, which is not your own.
      </div>
      <PostForm action="/dashboard/operator/look" formToken={visit.formToken}>
        <input type="hidden" name="account" value={visit.user.accountId} />
        <button type="submit" class="small">
          Back to mine
        </button>
      </PostForm>
    </div>
  );
}

function document({ title, scripts = [], styles = [] }: PageProps, body: ComponentChildren): string {
  const page = (
    <html lang="en">
      <head>
        <meta charSet="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>{`${title} · Postrider`}</title>
        <link rel="icon" href={assetUrl("icon.svg")} type="image/svg+xml" />
        {[...styles, "dashboard.css"].map((name) => (
          <link key={name} rel="stylesheet" href={assetUrl(name)} />
        ))}
        {["copy.js", "live.js", ...scripts].map((name) => (
          <script key={name} type="module" src={assetUrl(name)} />
        ))}
      </head>
      <body>{body}</body>
    </html>
  );
  return `<!doctype html>${renderToString(page)}`;
}
