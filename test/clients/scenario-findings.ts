/** What the scenario finds, with each client. */
export const SCENARIO_FINDINGS = {
  messages: {
    results: ["delivered", "delivered", "delivered", "delivered"],
    isRepeated: true,
    isPage: true,
    areAllIterated: true,
    events: [...Array(4).fill("message.accepted"), ...Array(4).fill("recipient.delivered")],
    rest: [],
  },
  management: {
    records: ["TXT", "MX", "TXT", "TXT", "TXT"],
    names: ["other.example", "shop.example"],
    isKey: true,
    changed: "shop",
    stale: [412, "precondition_failed", [], true],
    isRemoved: true,
    exported: "email,cause,since,until",
    imported: "object",
  },
  webhook: { status: 204, type: "recipient.delivered", isTest: true, isRejected: true },
  invalid: [400, "invalid_request", ["to"], true],
  unknown: [404, "not_found", [], true],
  health: "ok",
};
