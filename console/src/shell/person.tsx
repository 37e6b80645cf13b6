// Who one is, how one wants to see things, and the way out.
import { Link, useRouter } from '@tanstack/react-router';
import { useState } from 'react';
import type { Environment } from '../api/environment.ts';
import { signOut } from '../api/session.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Choose } from '../ui/field.tsx';
import { chooseTheme, chosenTheme, type Theme, themes } from '../ui/theme.ts';
import { type Language, languages, useLanguage } from '../words/words.tsx';
import { useWorkspace } from './workspace.tsx';

export function Person() {
  const { words } = useLanguage();
  const { environment, signed, here } = useWorkspace();
  const [isOpen, setOpen] = useState(false);
  const { displayName, email } = signed.session.user;
  return (
    <>
      <Button aria-haspopup="dialog" onClick={() => setOpen(true)}>
        <span className="max-w-48 truncate">{displayName ?? email}</span>
      </Button>
      <Dialog title={words.shell.person} open={isOpen} onClose={() => setOpen(false)}>
        <p className="text-quiet wrap-anywhere">{email}</p>
        <Appearance />
        <ul className="grid gap-1">
          <li>
            <Link
              to="/$environment/$account/security"
              params={here}
              className="text-accent underline"
              onClick={() => setOpen(false)}
            >
              {words.own.title}
            </Link>
          </li>
          <li>
            <a href="/docs">{words.shell.reference}</a>
          </li>
        </ul>
        <SignOut environment={environment} />
      </Dialog>
    </>
  );
}

function Appearance() {
  const { words, language, speak } = useLanguage();
  const [theme, setTheme] = useState(chosenTheme);
  return (
    <>
      <Choose
        label={words.shell.language}
        value={language}
        choices={(Object.keys(languages) as Language[]).map((one) => ({
          value: one,
          label: languages[one].language.name,
        }))}
        onChange={({ target }) => speak(target.value as Language)}
      />
      <Choose
        label={words.shell.theme}
        value={theme}
        choices={themes.map((one) => ({ value: one, label: words.shell.themes[one] }))}
        onChange={({ target }) => {
          const picked = target.value as Theme;
          chooseTheme(picked);
          setTheme(picked);
        }}
      />
    </>
  );
}

/** Out of both environments, and back to where one signs in. */
export function SignOut({ environment }: { environment: Environment }) {
  const { words } = useLanguage();
  const router = useRouter();
  const leave = async () => {
    await signOut(environment);
    await router.navigate({ to: '/sign-in', search: {} });
  };
  return <Button onClick={leave}>{words.shell.signOut}</Button>;
}
