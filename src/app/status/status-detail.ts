/** The text of a status in a language, as plain text or with markup around its moments. */
import type { RecipientStatus } from "./recipient-status.ts";
import { LANGUAGES, type Language, STATUS_TEXTS } from "./status-texts.ts";

/** How parts of a text are written. */
export interface Markup {
  text(text: string): string;
  /** `part` of the moment, as shown in UTC. */
  moment(atMs: number, shown: string, part: "date" | "time"): string;
}

export const PLAIN: Markup = { text: (text) => text, moment: (_atMs, shown) => shown };

/** What the texts of one request have in common. */
export interface Writing {
  language: Language;
  nowMs: number;
  markup: Markup;
}

/** Japanese sentences are not separated. */
const SEPARATORS: Partial<Record<Language, string>> = { ja: "" };

/** British English has 24 hours. */
const LOCALES: Partial<Record<Language, string>> = { en: "en-GB" };

/** Returns what happened in some sentences. `address`: the masked one. */
export function statusDetail(status: RecipientStatus, address: string, writing: Writing): string {
  const { language, nowMs } = writing;
  const { sentences, next, test } = STATUS_TEXTS[language];
  const { sentence, atMs, nextAtMs, isTest } = status;
  return [
    filled(sentences[sentence], { address, atMs }, writing),
    // An attempt that was due is under way.
    ...(nextAtMs === null || nextAtMs <= nowMs ? [] : [filled(next, { address, atMs: nextAtMs }, writing)]),
    ...(isTest ? [filled(test, { address, atMs: null }, writing)] : []),
  ].join(SEPARATORS[language] ?? " ");
}

/** Returns the sentence about the last change. */
export const updatedText = ({ updatedAtMs: atMs }: RecipientStatus, writing: Writing): string =>
  filled(STATUS_TEXTS[writing.language].updated, { address: "", atMs }, writing);

interface Values {
  address: string;
  atMs: number | null;
}

function filled(template: string, { address, atMs }: Values, writing: Writing): string {
  const { markup } = writing;
  return template
    .split(/(\{\w+\})/)
    .map((part) => {
      if (part === "{address}") return markup.text(address);
      if (part !== "{at}") return markup.text(part);
      if (atMs === null) throw new Error(`a sentence without a moment: ${template}`);
      return momentText(atMs, writing);
    })
    .join("");
}

function momentText(atMs: number, { language, nowMs, markup }: Writing): string {
  const { at } = STATUS_TEXTS[language];
  const locale = LOCALES[language] ?? language;
  const [moment, now] = [new Date(atMs), new Date(nowMs)];
  const isToday = moment.toISOString().slice(0, 10) === now.toISOString().slice(0, 10);
  const isThisYear = moment.getUTCFullYear() === now.getUTCFullYear();
  const date = (): string =>
    moment.toLocaleDateString(locale, {
      ...(isThisYear ? {} : { year: "numeric" }),
      month: "long",
      day: "numeric",
      timeZone: "UTC",
    });
  const time = `${moment.toISOString().slice(11, 19)} UTC`;
  return (isToday ? at.time : at.date)
    .split(/(\{\w+\})/)
    .map((part) => {
      if (part === "{date}") return markup.moment(atMs, date(), "date");
      return part === "{time}" ? markup.moment(atMs, time, "time") : markup.text(part);
    })
    .join("");
}

/** Returns the language that the reader asks for, or prefers among those that there are; English if there is none. */
export function languageOf(asked: string | undefined, acceptLanguage: (offered: string[]) => string | false): Language {
  const named = LANGUAGES.find((language) => language === asked?.toLowerCase().split(/[-_]/, 1)[0]);
  const accepted = named ?? acceptLanguage([...LANGUAGES]);
  return LANGUAGES.find((language) => language === accepted) ?? "en";
}
