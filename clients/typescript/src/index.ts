/** The client of Postrider. It needs `fetch` and WebCrypto, and no module of Node. */
export type { ChangeOptions, IterationOptions, RequestOptions } from "./call.js";
export { type ClientErrorCode, type FieldError, PostriderError } from "./errors.js";
export type * from "./generated/types.js";
export { Postrider, type PostriderOptions } from "./postrider.js";
export { type ResponseInfo, responseOf } from "./response-info.js";
export type { Fetch } from "./transport.js";
export { verifyWebhook, type WebhookHeaders, type WebhookRequest, WebhookVerificationError } from "./webhooks.js";
