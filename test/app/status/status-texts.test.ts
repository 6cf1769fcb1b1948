/** The texts of status pages: every language has the same placeholders, and none is a copy of another. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { RecipientStatus } from "../../../src/app/status/recipient-status.ts";
import { languageOf, PLAIN, statusDetail, updatedText } from "../../../src/app/status/status-detail.ts";
import { LANGUAGES, STATUS_TEXTS } from "../../../src/app/status/status-texts.ts";

/** The texts of a language by their path. */
function textsOf(value: unknown, path = ""): [path: string, text: string][] {
  if (typeof value === "string") return [[path, value]];
  return Object.entries(value as object).flatMap(([name, inner]) => textsOf(inner, `${path}.${name}`));
}

const placeholders = (text: string): string[] => (text.match(/\{[^}]*\}/g) ?? []).toSorted();

test("each text has the placeholders of the English one, is a sentence where that is one, and is translated", () => {
  const english = new Map(textsOf(STATUS_TEXTS.en));
  assert.ok(english.size > 35, `${english.size} texts`);
  for (const language of LANGUAGES) {
    for (const [path, text] of textsOf(STATUS_TEXTS[language])) {
      const meant = english.get(path) ?? "";
      assert.deepEqual(placeholders(text), placeholders(meant), `${language}${path}`);
      if (meant.endsWith(".")) assert.match(text, /[.。]$/, `${language}${path}`);
      if (language !== "en" && !path.startsWith(".at.")) assert.notEqual(text, meant, `${language}${path}`);
      assert.equal(text.normalize(), text, `${language}${path}`);
      assert.doesNotMatch(text, / {2}|\s[.,]|\{(?!at|address|time|date)/, `${language}${path}`);
    }
  }
});

const DAY_MS = 86_400_000;
const NOW_MS = Date.parse("2026-03-02T10:05:00.000Z");
const status: RecipientStatus = {
  state: "delivered",
  sentence: "delivered",
  atMs: Date.parse("2026-03-02T10:02:13.000Z"),
  nextAtMs: null,
  updatedAtMs: NOW_MS,
  isTest: false,
};

test("a moment has the date only on another day, with the year only in another year, and always its zone", () => {
  const written = (language: (typeof LANGUAGES)[number], nowMs: number) =>
    statusDetail(status, "", { language, nowMs, markup: PLAIN });
  assert.match(written("en", NOW_MS), /message at 10:02:13 UTC\. If/);
  assert.match(written("en", NOW_MS + DAY_MS), /message on 2 March at 10:02:13 UTC\. If/);
  assert.match(written("en", NOW_MS + 365 * DAY_MS), /message on 2 March 2026 at 10:02:13 UTC\. If/);
  assert.match(written("de", NOW_MS), /Nachricht um 10:02:13 UTC angenommen/);
  assert.match(written("de", NOW_MS + DAY_MS), /Nachricht am 2\. März um 10:02:13 UTC angenommen/);
  assert.match(written("fr", NOW_MS + DAY_MS), /message le 2 mars à 10:02:13 UTC\. /);
  assert.match(written("es", NOW_MS + DAY_MS), /mensaje el 2 de marzo a las 10:02:13 UTC\. /);
  assert.match(written("it", NOW_MS + DAY_MS), /messaggio in data 2 marzo alle 10:02:13 UTC\. /);
  assert.match(written("nl", NOW_MS + DAY_MS), /bericht op 2 maart om 10:02:13 UTC aangenomen/);
  assert.match(written("pt", NOW_MS + DAY_MS), /mensagem em 2 de março às 10:02:13 UTC\. /);
  assert.match(written("pl", NOW_MS + DAY_MS), /wiadomość 2 marca o godz\. 10:02:13 UTC\. /);
  assert.match(written("ja", NOW_MS + DAY_MS), /メールサービスが3月2日 10:02:13 UTC にメッセージを/);
  assert.match(updatedText(status, { language: "pl", nowMs: NOW_MS, markup: PLAIN }), /o godz\. 10:05:00 UTC\.$/);
});

test("a test message is said to be one", () => {
  const detail = statusDetail({ ...status, isTest: true }, "", { language: "ja", nowMs: NOW_MS, markup: PLAIN });
  assert.ok(detail.endsWith(`。${STATUS_TEXTS.ja.test}`), detail);
});

test("the language is the one that is asked for, else one that the reader accepts, else English", () => {
  const accepts = (language: string | false) => () => language;
  assert.equal(languageOf("de", accepts("fr")), "de");
  assert.equal(languageOf("pt-BR", accepts("fr")), "pt");
  assert.equal(languageOf("JA", accepts(false)), "ja");
  assert.equal(languageOf("xx", accepts("fr")), "fr");
  assert.equal(languageOf(undefined, accepts("it")), "it");
  assert.equal(languageOf(undefined, accepts(false)), "en");
});
