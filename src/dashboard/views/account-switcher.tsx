/** @jsxRuntime automatic @jsxImportSource preact */
/**
 * The sidebar's way to another account, without scripts too: for operators the recent accounts, and a field for the name of any other, for
 * which switcher.js suggests names; for others the accounts that they belong to.
 */
import type { Account } from "../../spool/port/accounts.ts";
import type { AuthContext } from "../auth/sessions.ts";
import { PostForm } from "./components.tsx";
import { Input, useIsKept } from "./kept-form.tsx";

const ACTION = "/dashboard/operator/look";
const MEMBER_ACTION = "/dashboard/you/account";

export function AccountSwitcher({ auth }: { auth: AuthContext }) {
  return (
    <details class="switcher" open={useIsKept(ACTION)}>
      <summary>
        <span class="switcher-label">Account</span> <strong>{auth.account.name}</strong>
      </summary>
      {auth.recent.length === 0 ? null : (
        <AccountButtons auth={auth} action={ACTION} label="Recent" accounts={auth.recent} />
      )}
      <PostForm action={ACTION} formToken={auth.formToken} class="switcher-find">
        <label for="switcher-name">Switch to account</label>
        <Input
          id="switcher-name"
          name="name"
          type="text"
          list="switcher-names"
          autoComplete="off"
          maxLength={63}
          required
          data-names="/dashboard/operator/accounts/names"
        />
        <datalist id="switcher-names" />
        <button type="submit" class="small">
          Switch
        </button>
      </PostForm>
      <a href="/dashboard/operator/accounts">All accounts</a>
    </details>
  );
}

/** Nothing for a user of one account. */
export function MemberSwitcher({ auth }: { auth: AuthContext }) {
  if (auth.others.length === 0) return null;
  return (
    <details class="switcher">
      <summary>
        <span class="switcher-label">Account</span> <strong>{auth.account.name}</strong>
      </summary>
      <AccountButtons auth={auth} action={MEMBER_ACTION} label="Switch to account" accounts={auth.others} />
    </details>
  );
}

interface AccountButtonsProps {
  auth: AuthContext;
  action: string;
  label: string;
  accounts: readonly Account[];
}

function AccountButtons({ auth, action, label, accounts }: AccountButtonsProps) {
  return (
    <PostForm action={action} formToken={auth.formToken} class="switcher-recent">
      <p class="switcher-label" id="switcher-recent">
        {label}
      </p>
      {accounts.map(({ id, name }) => (
        <button key={id} type="submit" name="account" value={id} class="plain" aria-label={`Switch to ${name}`}>
          {name}
        </button>
      ))}
    </PostForm>
  );
}
