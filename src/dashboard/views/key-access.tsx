/** @jsxRuntime automatic @jsxImportSource preact */
/**
 * The fields that restrict an API key: its permissions and its domains.
 */
import type { Context } from "koa";
import type { AccessInput, InvalidAccess } from "../../app/send/key-access.ts";
import { FULL_ACCESS, type KeyAccess } from "../../spool/port/api-keys.ts";
import { field } from "../web/form.ts";
import { Choice, domainOptions, readChoice } from "./choice.tsx";
import { type Option, Select } from "./components.tsx";

const PERMISSION_OPTIONS: Option[] = [
  { value: "send,read", text: "Send, and read the results" },
  { value: "send", text: "Send messages only" },
  { value: "read", text: "Read only: the messages of all keys" },
];

export interface AccessFieldsProps {
  /** FULL_ACCESS if absent. */
  input?: AccessInput | KeyAccess | undefined;
  /** The names of the account's domains. */
  domains: string[];
  fault?: InvalidAccess | undefined;
}

export function AccessFields({ input = FULL_ACCESS, domains, fault }: AccessFieldsProps) {
  const permissions = (input.permissions ?? FULL_ACCESS.permissions).join();
  const errorOf = (name: keyof AccessInput): string | undefined => (fault?.field === name ? fault.detail : undefined);
  return (
    <>
      <Select label="Permissions" name="permissions" value={permissions} options={PERMISSION_OPTIONS} />
      <Choice
        legend="Domains that it may send from and read the messages of"
        name="domains"
        all="All domains, including future ones"
        options={domainOptions(domains, input.domains)}
        selected={input.domains}
        error={errorOf("domains")}
      />
    </>
  );
}

/** Reads the submitted values. A form without these fields stands for full access. */
export function readAccessFields(ctx: Context): AccessInput {
  const permissions = field(ctx, "permissions");
  return { permissions: permissions === "" ? null : permissions.split(","), domains: readChoice(ctx, "domains") };
}
