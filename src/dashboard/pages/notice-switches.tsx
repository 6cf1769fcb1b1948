/** @jsxRuntime automatic @jsxImportSource preact */
/** The part of a user's profile with a switch for each kind of notices by email. */
import type { Context } from "koa";
import { choiceOf, mayChoose, type NoticeSwitch, type SwitchName, switches } from "../../app/notices/kinds.ts";
import { accountOf } from "../../spool/port/memberships.ts";
import type { NoticeChoice } from "../../spool/port/notices.ts";
import type { User } from "../../spool/port/people.ts";
import type { AuthContext } from "../auth/sessions.ts";
import { PostForm } from "../views/components.tsx";
import { useTypedValue } from "../views/kept-form.tsx";
import { field } from "../web/form.ts";

const CHOICE_TEXTS: Record<NoticeSwitch["choices"][number], string> = {
  on: "On",
  off: "Off",
  each: "Each",
  digest: "Daily digest",
};

const chosenBy = (user: Pick<User, "operator">) => switches().filter(([name]) => mayChoose(user, name));

export function NoticeSwitches({ auth, choices }: { auth: AuthContext; choices: readonly NoticeChoice[] }) {
  const { user } = auth;
  const of = { accountId: accountOf(user, auth.account.id), choices };
  return (
    <section class="card" id="notices">
      <h2>Notices by email</h2>
      <p>
        Of your own account{user.operator ? " and of the installation" : ""}, at most one an hour about the same thing.{" "}
        <a href="/dashboard/notices">All notices</a> are listed in any case.
      </p>
      <PostForm action="/dashboard/you/notices" formToken={auth.formToken}>
        {chosenBy(user).map(([name, kind]) => (
          <Switch key={name} name={name} of={kind} value={choiceOf(user, name, of)} />
        ))}
        <button type="submit">Save notices</button>
      </PostForm>
    </section>
  );
}

function Switch({ name, of: { label, hint, choices }, value }: { name: SwitchName; of: NoticeSwitch; value: string }) {
  const id = `field-${name}`;
  const selected = useTypedValue(name) ?? value;
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <select id={id} name={name} aria-describedby={`${id}-hint`}>
        {choices.map((choice) => (
          <option key={choice} value={choice} selected={choice === selected}>
            {CHOICE_TEXTS[choice]}
          </option>
        ))}
      </select>
      <p class="hint" id={`${id}-hint`}>
        {hint}
      </p>
    </div>
  );
}

/** The user's choices in a submitted form. Those that are missing or unknown stay as they are. */
export function readSwitches(ctx: Context, user: Pick<User, "operator">): Record<string, string> {
  const read = chosenBy(user).map(([name, { choices }]) => [name, choices.find((each) => each === field(ctx, name))]);
  return Object.fromEntries(read.filter(([, choice]) => choice !== undefined));
}
