// Everything one can go to or do, by typing some of its name. Opened by Ctrl/⌘ K or `/`.
import { useNavigate } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { environments } from '../api/environment.ts';
import { Dialog } from '../ui/dialog.tsx';
import type { Pick } from '../ui/pick-list.tsx';
import { type Language, languages, useLanguage } from '../words/words.tsx';
import { pageOfSid } from './links/sids.tsx';
import { useMyPages } from './my-pages.ts';
import { useWorkspace } from './workspace.tsx';

const PickList = lazy(() => import('../ui/pick-list.tsx'));

type Props = { open: boolean; onClose(): void };

export function Palette({ open, onClose }: Props) {
  const { words } = useLanguage();
  const [typed, setTyped] = useState('');
  const close = () => {
    setTyped('');
    onClose();
  };
  const picks = usePicks(typed.trim()).map((pick) => ({
    ...pick,
    run() {
      close();
      pick.run();
    },
  }));
  return (
    <Dialog title={words.palette.title} open={open} onClose={close}>
      <Suspense>
        <PickList
          label={words.palette.label}
          none={words.palette.none}
          picks={picks}
          value={typed}
          onType={setTyped}
        />
      </Suspense>
    </Dialog>
  );
}

function usePicks(typed: string): Pick[] {
  const { words, language, speak } = useLanguage();
  const navigate = useNavigate();
  const workspace = useWorkspace();
  const { environment, account, signed, can, here } = workspace;
  const named = pageOfSid(typed, workspace);
  return [
    ...(named ? [{ id: typed, label: words.palette.open(typed), run: () => void navigate(named) }] : []),
    ...(can('sendMessage') && can('listSenders')
      ? [
          {
            id: 'write',
            label: words.messages.write,
            run: () => void navigate({ to: '/$environment/$account/messages/new', params: here }),
          },
        ]
      : []),
    ...(can('createTemplate')
      ? [
          {
            id: 'template',
            label: words.palette.newTemplate,
            run: () => void navigate({ to: '/$environment/$account/templates/new', params: here }),
          },
        ]
      : []),
    ...useMyPages().map(({ name, path, letter }) => ({
      id: name,
      label: words.pages[name],
      hint: `g ${letter}`,
      run: () => void navigate({ to: path, params: here }),
    })),
    {
      id: 'security',
      label: words.own.title,
      run: () => void navigate({ to: '/$environment/$account/security', params: here }),
    },
    ...environments
      .filter((one) => one !== environment)
      .map((one) => ({
        id: one,
        label: words.shell.switchTo[one],
        run: () => void navigate({ to: '/$environment/$account', params: { ...here, environment: one } }),
      })),
    ...(signed.me.accounts ?? [])
      .filter(({ accountSid }) => accountSid !== account.accountSid)
      .map(({ accountSid, accountName }) => ({
        id: accountSid,
        label: accountName,
        hint: words.shell.account,
        run: () =>
          void navigate({ to: '/$environment/$account', params: { environment, account: accountSid } }),
      })),
    ...(Object.keys(languages) as Language[])
      .filter((one) => one !== language)
      .map((one) => ({
        id: one,
        label: languages[one].language.name,
        hint: words.shell.language,
        run: () => speak(one),
      })),
  ];
}
