/** @jsxRuntime automatic @jsxImportSource preact */
/**
 * The sidebar's way to another account, for operators: the accounts of late, and a field for the name of any other. Without scripts
 * too; with them, switcher.js suggests names.
 */
import type { AuthContext } from "../auth/sessions.ts";
import { PostForm } from "./components.tsx";
import { Input, useIsKept } from "./kept-form.tsx";

const ACTION = "/dashboard/operator/look";

export function AccountSwitcher({ auth }: { auth: AuthContext }) {
  return (
    <details class="switcher" open={useIsKept(ACTION)}>
      <summary>
        <span class="switcher-label">Account</span> <strong>{auth.account.name}</strong>
      </summary>
      {auth.recent.length === 0 ? null : (
        <PostForm action={ACTION} formToken={auth.formToken} class="switcher-recent">
          <p class="switcher-label" id="switcher-recent">
            Recent
          </p>
          {auth.recent.map(({ id, name }) => (
            <button key={id} type="submit" name="account" value={id} class="plain" aria-label={`Switch to ${name}`}>
              {name}
            </button>
          ))}
        </PostForm>
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
