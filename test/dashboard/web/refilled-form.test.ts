/** Forms that are filled in again. */
import assert from "node:assert/strict";
import { it } from "node:test";
import { refilledForm, type TypedForm } from "../../../src/dashboard/web/refilled-form.ts";

const fill = (content: string, fields: TypedForm["fields"]): string =>
  refilledForm(
    `<main><form method="post" action="/x">${content}</form></main>`,
    { action: "/x", fields },
    "[notice]",
  ) ?? "";

it("fills in text, text areas, choices and check boxes, and escapes what was typed", () => {
  const html = fill(
    `<input type="hidden" name="form_token" value="new"/><input id="a" name="a" type="text" value="old" required/>` +
      `<textarea name="t" rows="3">old</textarea><select name="s"><option value="1" selected>One</option><option value="2">Two</option></select>` +
      `<input type="checkbox" name="c" value="x" checked/><input type="checkbox" name="c" value="y"/>`,
    [
      ["a", `"><script>&`],
      ["t", "\nline </textarea>"],
      ["s", "2"],
      ["c", "y"],
    ],
  );
  assert.equal(
    html,
    `<main><form method="post" action="/x" data-kept="yes">[notice]` +
      `<input type="hidden" name="form_token" value="new"/><input id="a" name="a" type="text" required value="&quot;&gt;&lt;script&gt;&amp;">` +
      `<textarea name="t" rows="3">\n\nline &lt;/textarea&gt;</textarea><select name="s"><option value="1">One</option><option value="2" selected>Two</option></select>` +
      `<input type="checkbox" name="c" value="x"><input type="checkbox" name="c" value="y" checked></form></main>`,
  );
});

it("leaves passwords, codes, hidden fields and words in other attributes as they are", () => {
  const content =
    `<input name="p" type="password"/><input name="code" type="text" autocomplete="one-time-code"/>` +
    `<input type="hidden" name="h" value="own"/><input name="a" placeholder="is checked value=1 > 0"/>`;
  const html = fill(content, [
    ["p", "secret"],
    ["code", "123456"],
    ["h", "forged"],
  ]);
  assert.ok(html.includes(content));
});

it("fills in the form that its hidden fields name, opens the details around it, and reports a page without it", () => {
  const form = (entry: string) =>
    `<details class="menu"><summary>x</summary><form method="post" action="/x"><input type="hidden" name="id" value="${entry}"/><input name="a" type="text"/></form></details>`;
  const typed: TypedForm = {
    action: "/x",
    fields: [
      ["id", "two"],
      ["a", "typed"],
    ],
  };
  const html = refilledForm(form("one") + form("two"), typed, "") ?? "";
  assert.ok(html.startsWith(form("one")));
  assert.match(html, /<details open class="menu">.*value="two"\/><input name="a" type="text" value="typed">/);
  assert.equal(refilledForm("<p>/x</p>", typed, ""), null);
  assert.equal(refilledForm(form("one") + form("three"), typed, ""), null, "the form of another entry");
});
