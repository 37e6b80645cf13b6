// For people who have signed in and may reach nothing here, and for addresses of accounts they may not reach.
import { Link } from '@tanstack/react-router';
import { type Environment, otherThan } from '../api/environment.ts';
import type { Signed } from '../api/session.ts';
import { Sheet } from '../ui/panel.tsx';
import { useWords } from '../words/words.tsx';
import { SignOut } from './person.tsx';

export function NoAccount({ environment, signed }: { environment: Environment; signed: Signed }) {
  const words = useWords().shell;
  const accounts = signed.me.accounts ?? [];
  return (
    <Sheet title={accounts.length > 0 ? words.account : words.noAccount}>
      {accounts.length === 0 && <p>{words.noAccountHelp}</p>}
      <ul className="grid gap-1">
        {accounts.map(({ accountSid, accountName }) => (
          <li key={accountSid}>
            <Link
              to="/$environment/$account"
              params={{ environment, account: accountSid }}
              className="text-accent underline"
            >
              {accountName}
            </Link>
          </li>
        ))}
      </ul>
      <Link
        to="/$environment"
        params={{ environment: otherThan(environment) }}
        className="text-accent underline"
      >
        {words.switchTo[otherThan(environment)]}
      </Link>
      <SignOut environment={environment} />
    </Sheet>
  );
}
