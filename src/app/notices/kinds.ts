/**
 * The kinds of notices, and the switches by which users choose which of them they get by email. Only this table decides who gets a notice;
 * when there is one, and what it says, is decided in the file of its condition.
 */
import { membershipIn } from "../../spool/port/memberships.ts";
import type { NoticeChoice } from "../../spool/port/notices.ts";
import type { User } from "../../spool/port/people.ts";

/** Who gets the notices of a switch without a choice: of the account that they are about, or everywhere. */
type Audience = "owners" | "users" | "operators";

export interface NoticeSwitch {
  /** What the notices are about. */
  label: string;
  /** When there is one. */
  hint: string;
  choices: readonly ("off" | "on" | "each" | "digest")[];
  /** `account`: for the users of the account; those of the installation are for operators. */
  scope: "account" | "installation";
  /** They have `on`, others have `off`. */
  audience: readonly Audience[];
}

const ON_OFF = ["on", "off"] as const;

/** The names are stored, so they do not change. */
const SWITCHES = {
  failed_messages: {
    label: "Failed messages",
    hint: "A recipient of an API key's message has failed. The digest comes after the end of a day, by UTC.",
    choices: ["off", "each", "digest"],
    scope: "account",
    audience: [],
  },
  domain_failing: {
    label: "Domains",
    hint: "A check of a verified domain fails, or the domain may not send any more.",
    choices: ON_OFF,
    scope: "account",
    audience: ["owners"],
  },
  webhook_failing: {
    label: "Webhooks",
    hint: "All attempts at an endpoint have failed for an hour, or the endpoint is disabled.",
    choices: ON_OFF,
    scope: "account",
    audience: ["users"],
  },
  key_held: {
    label: "Held API keys",
    hint: "An API key sends far above normal, and its messages are held until you decide.",
    choices: ON_OFF,
    scope: "account",
    audience: ["owners", "operators"],
  },
  key_warned: {
    label: "API keys near their limit",
    hint: "An API key sends more than usual; at most once a day.",
    choices: ON_OFF,
    scope: "account",
    audience: ["owners"],
  },
  receiver_blocks: {
    label: "Receivers",
    hint: "A receiver has rejected this server's address for ten minutes; at most once a day.",
    choices: ON_OFF,
    scope: "installation",
    audience: ["operators"],
  },
  preflight_worse: {
    label: "Preflights",
    hint: "The daily preflight of the sending addresses has found something worse.",
    choices: ON_OFF,
    scope: "installation",
    audience: ["operators"],
  },
  certificate_ends: {
    label: "Certificates",
    hint: "A certificate that the service serves ends within 7 days, or could not be renewed; once a day.",
    choices: ON_OFF,
    scope: "installation",
    audience: ["operators"],
  },
  disk_fills: {
    label: "Disk",
    hint: "The disk of the spool has less than 1 GiB left; once a day.",
    choices: ON_OFF,
    scope: "installation",
    audience: ["operators"],
  },
} as const satisfies Record<string, NoticeSwitch>;

export type SwitchName = keyof typeof SWITCHES;

interface KindRule {
  /** For lists. */
  label: string;
  of: SwitchName;
  /** Who has chosen this gets it. */
  choice: NoticeSwitch["choices"][number];
}

/** Also the types of the operators' webhook, after `notice.`: stored and documented, so they do not change. */
export const KINDS = {
  failed_message: { label: "Failed message", of: "failed_messages", choice: "each" },
  failed_digest: { label: "Failed messages of a day", of: "failed_messages", choice: "digest" },
  domain_failing: { label: "Domain", of: "domain_failing", choice: "on" },
  webhook_failing: { label: "Webhook", of: "webhook_failing", choice: "on" },
  key_held: { label: "Held API key", of: "key_held", choice: "on" },
  key_warned: { label: "API key near its limit", of: "key_warned", choice: "on" },
  receiver_blocks: { label: "Receiver", of: "receiver_blocks", choice: "on" },
  preflight_worse: { label: "Preflight", of: "preflight_worse", choice: "on" },
  certificate_ends: { label: "Certificate", of: "certificate_ends", choice: "on" },
  certificate_not_renewed: { label: "Certificate renewal", of: "certificate_ends", choice: "on" },
  disk_fills: { label: "Disk", of: "disk_fills", choice: "on" },
} as const satisfies Record<string, KindRule>;

export type NoticeKind = keyof typeof KINDS;

/** Every switch with its name. */
export const switches = (): [SwitchName, NoticeSwitch][] => Object.entries(SWITCHES) as [SwitchName, NoticeSwitch][];

/** A stored kind for people; one of another version has only its name. */
export const kindLabel = (kind: string): string => (isKind(kind) ? KINDS[kind].label : kind.replaceAll("_", " "));

export const isKind = (kind: string): kind is NoticeKind => Object.hasOwn(KINDS, kind);

/** Whether the user may choose about a switch: of the user's accounts, and, as an operator, of the installation. */
export const mayChoose = ({ operator }: Pick<User, "operator">, name: SwitchName): boolean =>
  operator || SWITCHES[name].scope === "account";

type Chooser = Pick<User, "id" | "memberships" | "operator">;

/** What the user has chosen, or has without a choice, for notices about an account (null: the installation). */
export function choiceOf(user: Chooser, name: SwitchName, { accountId, choices }: ChosenAbout): string {
  const { audience, choices: possible }: NoticeSwitch = SWITCHES[name];
  const chosen = choices.find((each) => each.userId === user.id && each.name === name)?.choice;
  if (chosen !== undefined && possible.some((each) => each === chosen)) return chosen;
  const membership = membershipIn(user, accountId);
  const isIn: Record<Audience, boolean> = {
    owners: membership?.role === "owner",
    users: membership !== null,
    operators: user.operator,
  };
  return audience.some((each) => isIn[each]) ? "on" : "off";
}

interface ChosenAbout {
  accountId: string | null;
  /** Of all users, or of this one. */
  choices: readonly NoticeChoice[];
}

/** Whether the user gets a notice of this kind by email. */
export function isWanted(user: Chooser, kind: NoticeKind, about: ChosenAbout): boolean {
  const { of, choice } = KINDS[kind];
  const { scope, audience }: NoticeSwitch = SWITCHES[of];
  const isFor =
    (scope === "account" && membershipIn(user, about.accountId) !== null) ||
    (user.operator && audience.includes("operators"));
  return isFor && choiceOf(user, of, about) === choice;
}
