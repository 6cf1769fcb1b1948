/**
 * Answers that end a request early: what a page throws, and the only place that says which status it has.
 */

const STATUS = {
  not_found: 404,
  form_expired: 403,
  other_account: 403,
  cross_site: 403,
  over_http: 403,
  without_length: 411,
  too_large: 413,
  not_a_form: 415,
  too_many_attempts: 429,
  too_many_requests: 429,
  too_many_unread: 429,
  too_many_waiting: 429,
  too_many_reports: 429,
  busy: 503,
  out_of_memory: 503,
  unavailable: 503,
} as const;

export type RefusalCode = keyof typeof STATUS;

const SENTENCES: Record<RefusalCode, string> = {
  not_found: "There is nothing here, or nothing of yours.",
  form_expired: "This form is no longer valid: your session has changed. Go back, load the page again and repeat it.",
  other_account:
    "This form was made for another account than the one you look at now, so nothing was changed. Go back, load the page again, and look at the account's name before you repeat it.",
  cross_site: "This request came from another website, so it was not carried out.",
  over_http: "Sessions here are for HTTPS only, and this request came without it.",
  without_length: "The form came without a Content-Length. Browsers send one; a proxy in between has removed it.",
  too_large: "The form is larger than any form here can be.",
  not_a_form: "This address takes forms only.",
  too_many_attempts: "Too many attempts. Wait a few minutes, then try again.",
  too_many_requests: "Too many requests come from your address. Try again in a few seconds.",
  too_many_unread: "Too many pages that you requested are still being sent. Try again in a few seconds.",
  too_many_waiting: "Too much of this account is waiting already. Try again in a moment.",
  too_many_reports: "Too many searches and pages of this account are waiting already. Try again in a moment.",
  busy: "Too many passwords are being checked at this moment. Try again in a few seconds.",
  out_of_memory: "The service is short of memory right now. Try again in a moment.",
  unavailable: "The spool cannot be read or written right now. Try again in a moment.",
};

export class PageRefusal extends Error {
  readonly code: RefusalCode;

  constructor(code: RefusalCode, sentence: string = SENTENCES[code]) {
    super(sentence);
    this.code = code;
  }

  get status(): number {
    return STATUS[this.code];
  }
}

export const notFound = (): PageRefusal => new PageRefusal("not_found");
