// What stands around every page: where one is, what there is, and who one is.
import { Link, Outlet, useLocation, useNavigate } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { otherThan } from '../api/environment.ts';
import { useWords } from '../words/words.tsx';
import { Shortcuts } from './keyboard.tsx';
import { Live } from './live.tsx';
import { useMyPages } from './my-pages.ts';
import { Notices } from './notices/notices.tsx';
import { Person } from './person.tsx';
import { ProblemCards } from './problem/problem-cards.tsx';
import { Enrolment } from './sign-in/enrolment.tsx';
import { StepUp } from './step-up.tsx';
import { InWorkspace, useWorkspace, type Workspace } from './workspace.tsx';

export function Frame({ workspace }: { workspace: Workspace }) {
  return (
    <InWorkspace value={workspace}>
      {workspace.signed.session.enrollmentOnly ? (
        <Enrolment />
      ) : (
        <Live>
          <StepUp>
            <ProblemCards>
              <Around />
            </ProblemCards>
          </StepUp>
        </Live>
      )}
    </InWorkspace>
  );
}

function Around() {
  const words = useWords();
  const { environment, account } = useWorkspace();
  const isLive = environment === 'live';
  return (
    <div className="flex min-h-dvh flex-col">
      <a href="#page" className="sr-only focus:not-sr-only focus:p-2">
        {words.shell.skip}
      </a>
      <header
        data-environment={environment}
        className={`flex flex-wrap items-center gap-3 border-b border-line bg-paper px-4 py-2 ${isLive ? 'border-t-4 border-t-live' : ''}`}
      >
        <strong>{words.product}</strong>
        <EnvironmentSwitch />
        <AccountSwitch />
        <div className="ml-auto flex flex-wrap gap-2">
          <Notices />
          <Person />
        </div>
      </header>
      {account.accountStatus === 'suspended' && (
        <p role="status" className="border-b border-line bg-paper px-4 py-2 text-warn">
          {words.shell.suspended}
        </p>
      )}
      <div className="flex flex-1 flex-col sm:flex-row">
        <PageMenu />
        <main id="page" tabIndex={-1} className="min-w-0 flex-1 p-4 outline-none">
          <Outlet />
        </main>
      </div>
      <Shortcuts />
    </div>
  );
}

/** Down the side; in a small window one line that can be moved, so that it leaves the window to the page. */
function PageMenu() {
  const words = useWords();
  const { environment, account } = useWorkspace();
  const { pathname } = useLocation();
  const list = useRef<HTMLUListElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another page is another place in the line
  useEffect(() => {
    const current = list.current?.querySelector<HTMLElement>('[aria-current=page]');
    if (current) list.current!.scrollLeft = current.offsetLeft - list.current!.offsetLeft;
  }, [pathname]);
  return (
    <nav aria-label={words.shell.pages} className="border-line p-2 max-sm:border-b sm:w-48 sm:border-r">
      <ul ref={list} className="flex gap-1 max-sm:overflow-x-auto max-sm:p-1 sm:flex-col">
        {useMyPages().map(({ name, path }) => (
          <li key={name}>
            <Link
              to={path}
              params={{ environment, account: account.accountSid }}
              activeOptions={{ exact: path === '/$environment/$account' }}
              className="block rounded px-3 py-1.5 text-sm max-sm:whitespace-nowrap hover:bg-soft aria-[current=page]:bg-soft aria-[current=page]:font-semibold"
            >
              {words.pages[name]}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}

/** Both environments have their own address, so that they can stand open side by side. */
function EnvironmentSwitch() {
  const words = useWords().shell;
  const { environment, account } = useWorkspace();
  const other = otherThan(environment);
  const isLive = environment === 'live';
  return (
    <span className="flex items-center gap-2 text-sm">
      <span
        title={isLive ? words.liveHelp : words.sandboxHelp}
        className={`rounded px-2 py-0.5 font-semibold ${isLive ? 'bg-live text-on-live' : 'bg-soft text-ink'}`}
      >
        {words[environment]}
      </span>
      <Link
        to="/$environment/$account"
        params={{ environment: other, account: account.accountSid }}
        className="text-accent underline"
      >
        {words.switchTo[other]}
      </Link>
    </span>
  );
}

function AccountSwitch() {
  const words = useWords().shell;
  const navigate = useNavigate();
  const { environment, account, signed } = useWorkspace();
  const accounts = signed.me.accounts ?? [];
  if (accounts.length < 2) return <span className="wrap-anywhere">{account.accountName}</span>;
  return (
    <select
      aria-label={words.account}
      value={account.accountSid}
      onChange={({ target }) =>
        navigate({ to: '/$environment/$account', params: { environment, account: target.value } })
      }
      className="min-h-9 max-w-64 rounded-md border border-edge bg-paper px-2"
    >
      {accounts.map(({ accountSid, accountName }) => (
        <option key={accountSid} value={accountSid}>
          {accountName}
        </option>
      ))}
    </select>
  );
}
