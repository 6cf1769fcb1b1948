/** The examples of Resend's API in the API reference. Tests validate each of them with its schema and with Resend's. */

const EMAIL_ID = "msg_-P6wKPyqgKf3C6ekSH_skV7I";
const DOMAIN_ID = "dom_4xTqZ7Jm2c";
const KEY_ID = "key_4XyZ1k2mPzz";
const CREATED_AT = "2026-03-02T08:30:00.000Z";

const EMAIL_REQUEST = {
  from: "Example Shop <hello@example.com>",
  to: ["you@your-provider.example"],
  subject: "Your order is on its way",
  text: "Hello,\n\nit left this morning.",
};

/** By the name of the schema. */
export const REQUEST_EXAMPLES: Readonly<Record<string, unknown>> = {
  ResendEmailRequest: { ...EMAIL_REQUEST, tags: [{ name: "category", value: "shipping" }] },
  ResendBatchRequest: [EMAIL_REQUEST, { ...EMAIL_REQUEST, to: ["they@their-provider.example"] }],
  ResendChange: { scheduled_at: "2026-03-03T09:00:00Z" },
  ResendDomainRequest: { name: "example.com" },
  ResendKeyRequest: { name: "website", permission: "sending_access" },
};

const LISTED = {
  id: EMAIL_ID,
  message_id: "<k2VX0nHqkJrT4yGf@example.com>",
  to: ["you@your-provider.example"],
  from: "hello@example.com",
  created_at: CREATED_AT,
  subject: EMAIL_REQUEST.subject,
  cc: [],
  bcc: [],
  last_event: "delivered",
  scheduled_at: null,
};

const DOMAIN = {
  id: DOMAIN_ID,
  name: "example.com",
  status: "not_started",
  created_at: CREATED_AT,
  region: "us-east-1",
  open_tracking: false,
  click_tracking: false,
  capabilities: { sending: "enabled", receiving: "disabled" },
};

/** By the name of the schema. */
export const EXAMPLES: Readonly<Record<string, unknown>> = {
  ResendSent: { id: EMAIL_ID },
  ResendBatch: { data: [{ id: EMAIL_ID }, { id: "msg_7bQ2mXvT0cLrY5uKdWn3HsJe" }] },
  ResendEmailList: { object: "list", has_more: false, data: [LISTED] },
  ResendEmail: {
    object: "email",
    ...LISTED,
    from: EMAIL_REQUEST.from,
    reply_to: [],
    text: EMAIL_REQUEST.text,
    tags: [{ name: "category", value: "shipping" }],
  },
  ResendChanged: { object: "email", id: EMAIL_ID },
  ResendDomain: {
    object: "domain",
    ...DOMAIN,
    records: [
      {
        record: "Receiving",
        name: "@",
        type: "MX",
        ttl: "Auto",
        status: "not_started",
        value: "mail.example.com",
        priority: 10,
      },
    ],
  },
  ResendDomainList: { object: "list", has_more: false, data: [DOMAIN] },
  ResendVerification: { object: "domain", id: DOMAIN_ID },
  ResendDeletedDomain: { object: "domain", id: DOMAIN_ID, deleted: true },
  ResendKey: { id: KEY_ID, token: "svc_live_EXAMPLE" },
  ResendKeyList: {
    object: "list",
    has_more: false,
    data: [{ id: KEY_ID, name: "website", created_at: CREATED_AT, last_used_at: null }],
  },
  ResendDeletedKey: { object: "api_key", id: KEY_ID, deleted: true },
};
