/** Forms of an ended session that their pages show again, filled in. */
import assert from "node:assert/strict";
import { it } from "node:test";
import { type ComponentChildren, h } from "preact";
import type { KeptForm } from "../../../src/dashboard/auth/kept-form.ts";
import type { AuthContext } from "../../../src/dashboard/auth/sessions.ts";
import { UserMenu } from "../../../src/dashboard/pages/users-page.tsx";
import { Field, PostForm, Select } from "../../../src/dashboard/views/components.tsx";
import type { Entry } from "../../../src/dashboard/views/kept-form.tsx";
import { signedInPage } from "../../../src/dashboard/views/layout.tsx";
import { EMPTY_INPUT, WebhookForm } from "../../../src/dashboard/views/webhook-form.tsx";
import type { User } from "../../../src/spool/port/people.ts";

const OTHER = { id: "acc_other", name: "other" };

const AUTH = {
  user: {
    id: "usr_one",
    email: "one@customers.example",
    operator: true,
    memberships: [{ accountId: "acc_default", role: "owner", byGroup: false, joinedAtMs: 1 }],
  },
  account: { id: "acc_default", name: "default", deletedAtMs: null },
  role: "owner",
  recent: [],
  formToken: "token",
} as unknown as AuthContext;

const WEBHOOKS = h(WebhookForm, {
  auth: AUTH,
  action: "/dashboard/webhooks",
  submit: "Create",
  form: { input: EMPTY_INPUT, keys: [], domains: ["shop.example", "news.example"] },
});

const postForm = (action: string, children: ComponentChildren, entry: Entry = {}) =>
  h(PostForm, { action, formToken: "token", entry, children });

function pageWith(
  children: ComponentChildren,
  form: Pick<KeptForm, "action" | "fields">,
  auth: Partial<AuthContext> = {},
): string {
  const keptForm: KeptForm = { ...form, userId: "usr_one", accountId: "acc_default", page: "/dashboard", atMs: 1 };
  return signedInPage({ ...AUTH, ...auth, keptForm }, "", { title: "Page", children });
}

/** The start tag of the one element with these attributes. */
function tag(html: string, ...attributes: string[]): string {
  const tags = [...html.matchAll(/<[a-z][^<>]*>/g)].map(([each]) => each);
  const found = tags.filter((each) => attributes.every((attribute) => each.includes(attribute)));
  assert.equal(found.length, 1, `${attributes.join(" ")} in ${html}`);
  return found[0] ?? "";
}

it("fills in text, escaped, radio buttons and check boxes of one name", () => {
  const html = pageWith(WEBHOOKS, {
    action: "/dashboard/webhooks",
    fields: [
      ["url", `"><script>&`],
      ["all_types", "yes"],
      ["all_domains", "no"],
      ["domains", "news.example"],
      ["domains", "removed.example"],
    ],
  });
  assert.match(html, /<input id="field-url" name="url" type="text" value="&quot;>&lt;script>&amp;"/);
  assert.match(tag(html, 'name="all_domains"', 'value="no"'), / checked/);
  assert.doesNotMatch(tag(html, 'name="all_domains"', 'value="yes"'), / checked/);
  assert.match(tag(html, 'name="all_types"', 'value="yes"'), / checked/);
  assert.match(tag(html, 'name="domains"', 'value="news.example"'), / checked/);
  assert.doesNotMatch(tag(html, 'name="domains"', 'value="shop.example"'), / checked/);
  assert.match(html, /action="\/dashboard\/webhooks"[^<>]* data-kept="yes"><div id="kept-form">.*in this form again/);
  assert.match(html, /name="form_token" value="token"/);
});

it("selects the typed option, and leaves fields that were not sent as they are", () => {
  const options = ["one", "two", "three"].map((value) => ({ value, text: value }));
  const children = postForm("/dashboard/keys", [
    h(Select, { label: "Kind", name: "kind", value: "one", options }),
    h(Select, { label: "Other", name: "other", value: "two", options: options.slice(0, 2) }),
    h(Field, { label: "Name", name: "name", value: "own" }),
  ]);
  const html = pageWith(children, { action: "/dashboard/keys", fields: [["kind", "three"]] });
  assert.match(
    html,
    /<select id="field-kind"[^<>]*><option value="one">one<\/option>.*<option value="three" selected>/,
  );
  assert.match(html, /<select id="field-other"[^<>]*><option value="one">one<\/option><option value="two" selected>/);
  assert.match(tag(html, 'id="field-name"'), /value="own"/);
});

it("puts back no password, code or hidden field", () => {
  const children = postForm("/dashboard/you", [
    h(Field, { label: "Password", name: "p", type: "password" }),
    h(Field, { label: "Code", name: "c", autoComplete: "one-time-code" }),
    h("input", { type: "hidden", name: "h", value: "own" }),
  ]);
  const fields: KeptForm["fields"] = ["p", "c", "h", "form_token"].map((name) => [name, "forged"]);
  const html = pageWith(children, { action: "/dashboard/you", fields });
  assert.match(html, /in this form again/);
  assert.doesNotMatch(html, /forged/);
});

it("fills in the form of the same entry of a list, and never that of another", () => {
  const form = (email: string) => postForm("/dashboard/suppressed/forget", "Allow again", { email });
  const typed: Pick<KeptForm, "action" | "fields"> = {
    action: "/dashboard/suppressed/forget",
    fields: [["email", "two@x.example"]],
  };
  const html = pageWith([form("one@x.example"), form("two@x.example"), form("two@x.example")], typed);
  assert.equal(html.split("data-kept").length, 2);
  assert.match(html, /one@x\.example(?:(?!<form).)*<form[^<>]* data-kept="yes">(?:(?!<form).)*value="two@x\.example"/);
  const gone = pageWith([form("one@x.example"), form("three@x.example")], typed);
  assert.doesNotMatch(gone, /data-kept/);
  assert.match(gone, /<main[^<>]*><div id="kept-form">.*no longer on this page.*<li>email: two@x\.example<\/li>/);
});

it("lists what was typed, escaped and without empty fields, on a page without the form", () => {
  const html = pageWith(WEBHOOKS, {
    action: "/dashboard/keys",
    fields: [
      ["name", "<b>"],
      ["kind", ""],
    ],
  });
  assert.match(html, /You had typed:<\/p><ul><li>name: &lt;b><\/li><\/ul>/);
  assert.match(html, /action="\/dashboard\/webhooks"/);
});

it("opens the menu and the account switcher around the form, and no others", () => {
  const menu = (id: string) =>
    h(UserMenu, { auth: AUTH, user: { id, email: id } as User, path: `/dashboard/users/${id}` });
  const menus = pageWith([menu("usr_two"), menu("usr_three")], {
    action: "/dashboard/users/usr_three/end-sessions",
    fields: [],
  });
  assert.match(menus, /<details class="menu"><summary aria-label="Actions for usr_two">/);
  assert.match(menus, /<details class="menu" open><summary aria-label="Actions for usr_three">/);
  assert.match(menus, /<details class="switcher">/);
  const look = { action: "/dashboard/operator/look", fields: [["name", "oth"]] satisfies KeptForm["fields"] };
  const switcher = pageWith(menu("usr_two"), look);
  assert.match(switcher, /<details class="switcher" open>/);
  assert.match(tag(switcher, 'id="switcher-name"'), /value="oth"/);
  assert.match(pageWith(null, look, { recent: [OTHER] as AuthContext["recent"] }), /<details class="switcher" open>/);
});
