/** @jsxRuntime automatic @jsxImportSource preact */
/**
 * The fields of what an API key may do: its permissions, its domains, from where, and how long.
 */
import type { Context } from "koa";
import { type AccessInput, type InvalidAccess, mayGive } from "../../app/send/key-access.ts";
import { FULL_ACCESS, type KeyAccess } from "../../spool/port/api-keys.ts";
import type { AuthContext } from "../auth/sessions.ts";
import { field } from "../web/form.ts";
import { Choice, domainOptions, readChoice } from "./choice.tsx";
import { Field, type Option, Select } from "./components.tsx";

const PERMISSION_OPTIONS: Option[] = [
  { value: "send,read", text: "Send, and read the results" },
  { value: "send", text: "Send messages only" },
  { value: "read", text: "Read only: the messages of all keys" },
  { value: "manage", text: "Manage the account" },
  { value: "send,read,manage", text: "Send, read and manage the account" },
  { value: "operate", text: "Operate the service: all accounts" },
];

/** The combinations that the user may give, and the present one. */
function permissionOptions(present: string, { user, role }: Pick<AuthContext, "user" | "role">): Option[] {
  const given = mayGive({ isOperator: user.operator, isOwner: role === "owner" });
  const options = PERMISSION_OPTIONS.filter(({ value }) =>
    value.split(",").every((each) => given.some((one) => one === each)),
  );
  const isKnown = present === "" || options.some(({ value }) => value === present);
  return isKnown ? options : [...options, { value: present, text: present.replaceAll(",", ", ") }];
}

export interface AccessFieldsProps {
  auth: Pick<AuthContext, "user" | "role">;
  /** FULL_ACCESS if absent. */
  input?: AccessInput | KeyAccess | undefined;
  /** The names of the account's domains. */
  domains: string[];
  fault?: InvalidAccess | undefined;
}

export function AccessFields({ auth, input = FULL_ACCESS, domains, fault }: AccessFieldsProps) {
  const permissions = (input.permissions ?? FULL_ACCESS.permissions).join();
  const errorOf = (name: keyof AccessInput): string | undefined => (fault?.field === name ? fault.detail : undefined);
  return (
    <>
      <Select
        label="Permissions"
        name="permissions"
        value={permissions}
        options={permissionOptions(permissions, auth)}
        error={errorOf("permissions")}
      />
      <Choice
        legend="Domains"
        name="domains"
        all="All domains, including future ones"
        options={domainOptions(domains, input.domains)}
        selected={input.domains}
        error={errorOf("domains")}
      />
      <Field
        label="Networks that it may be used from"
        name="networks"
        value={input.networks?.join(", ") ?? ""}
        error={errorOf("networks")}
        placeholder="192.0.2.0/24, 2001:db8::/32"
        hint="Separated by commas. Empty: from everywhere."
      />
      <Field
        label="Expires at (UTC)"
        name="expires_at"
        type="datetime-local"
        step="1"
        value={expiryOf(input)}
        error={errorOf("expiresAt")}
        hint="Requests with the key are rejected from then on. Empty: it does not expire."
      />
    </>
  );
}

const isAccess = (input: AccessInput | KeyAccess): input is KeyAccess => "expiresAtMs" in input;

/** The value of a field for a date and a time; one that cannot be read as such is shown empty. */
function expiryOf(input: AccessInput | KeyAccess): string {
  if (!isAccess(input)) return String(input.expiresAt ?? "").replace(/Z$/, "");
  return input.expiresAtMs === null
    ? ""
    : new Date(input.expiresAtMs).toISOString().slice(0, "2026-01-01T00:00:00".length);
}

/** Reads the submitted values. A form without these fields stands for full access. */
export function readAccessFields(ctx: Context): AccessInput {
  const permissions = field(ctx, "permissions");
  const networks = field(ctx, "networks")
    .split(/[\s,]+/)
    .filter((each) => each !== "");
  const expires = field(ctx, "expires_at");
  return {
    permissions: permissions === "" ? null : permissions.split(","),
    domains: readChoice(ctx, "domains"),
    networks: networks.length === 0 ? null : networks,
    expiresAt: expires === "" ? null : `${expires}${/T\d\d:\d\d$/.test(expires) ? ":00" : ""}Z`,
  };
}
