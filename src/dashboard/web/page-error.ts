/**
 * Errors that end a request with an error page. The status and the default message of each code are decided only here.
 */

const STATUS = {
  not_one_click: 400,
  not_found: 404,
  provider_refused: 403,
  provider_rejected: 400,
  provider_unavailable: 503,
  invitation_ended: 404,
  reset_ended: 404,
  forbidden: 403,
  account_deleted: 403,
  form_expired: 403,
  other_account: 403,
  cross_site: 403,
  over_http: 403,
  too_slow: 408,
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

export type PageErrorCode = keyof typeof STATUS;

const MESSAGES: Record<PageErrorCode, string> = {
  not_one_click: "The request must be a form with List-Unsubscribe=One-Click.",
  not_found: "There is no page at this address, or you don't have access to it.",
  invitation_ended:
    "The link of an invitation works once, within 7 days. It also ends when the invitation is revoked or replaced by a newer one.",
  reset_ended:
    "A link to choose a new password works once, within an hour. It also ends when the password is changed in another way.",
  provider_refused: "The identity provider has signed you in, but you have no user here.",
  provider_rejected: "The identity provider has not signed you in.",
  provider_unavailable: "The identity provider does not respond as it should. Try again in a moment.",
  forbidden: "Your role in this account does not allow this. An owner of the account can change your role.",
  account_deleted:
    "This account is deleted, so nothing in it can be changed until it is restored. An operator can do that, or an owner if an owner has deleted it.",
  form_expired:
    "This form is no longer valid because your session has changed. Go back, reload the page and submit the form again.",
  other_account:
    "This form was made for another account than your current account, so nothing was changed. Go back, reload the page, and check the account name before you submit the form again.",
  cross_site: "This request came from another website and was rejected.",
  over_http: "Sessions require HTTPS, and this request was sent over plain HTTP.",
  without_length:
    "The form has no Content-Length. Browsers send one; a proxy between your browser and this server has removed it.",
  too_slow: "The form arrived too slowly. Try again.",
  too_large: "The form is too large.",
  not_a_form: "This URL accepts only forms.",
  too_many_attempts: "Too many attempts. Wait a few minutes, then try again.",
  too_many_requests: "Too many requests from your IP address. Try again in a few seconds.",
  too_many_unread: "Too many of the pages you requested are still being sent. Try again in a few seconds.",
  too_many_waiting: "Too many requests of this account are waiting. Try again in a moment.",
  too_many_reports: "Too many searches of this account are waiting. Try again in a moment.",
  busy: "Too many passwords are being checked. Try again in a few seconds.",
  out_of_memory: "The service is out of memory. Try again in a moment.",
  unavailable: "The spool is unavailable. Try again in a moment.",
};

/** An expected error of a request; `message` is shown on the error page. */
export class PageError extends Error {
  readonly code: PageErrorCode;

  constructor(code: PageErrorCode, message: string = MESSAGES[code]) {
    super(message);
    this.code = code;
  }

  get status(): number {
    return STATUS[this.code];
  }
}

export const notFound = (): PageError => new PageError("not_found");
