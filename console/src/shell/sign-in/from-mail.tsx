// What mails lead to: accepting an invitation, and setting a new password.
import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { visitor } from '../../api/clients.ts';
import { issueAt } from '../../api/problem.ts';
import { Button } from '../../ui/button.tsx';
import { Field } from '../../ui/field.tsx';
import { Sheet } from '../../ui/panel.tsx';
import { ProblemPanel } from '../../ui/problem.tsx';
import { useWords } from '../../words/words.tsx';

/** The token of a mailed link; it leaves the address bar, and with it the history, at once. */
function useToken(): string | null {
  const [token] = useState(() => {
    const found = new URLSearchParams(location.hash.slice(1)).get('token');
    history.replaceState(history.state, '', location.pathname);
    return found;
  });
  return token;
}

type Told = 'welcome' | 'reset';

function useMailed(accept: (token: string, given: FormData) => Promise<unknown>, told: Told) {
  const token = useToken();
  const navigate = useNavigate();
  const work = useMutation({
    mutationFn: (given: FormData) => accept(token!, given),
    onSuccess: () => navigate({ to: '/sign-in', search: { told } }),
  });
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    work.mutate(new FormData(event.currentTarget));
  };
  return { isWhole: token !== null, work, submit };
}

export function InvitationPage() {
  const words = useWords();
  const { isWhole, work, submit } = useMailed(
    (token, given) =>
      visitor.signIn.acceptInvitation({
        token,
        displayName: String(given.get('displayName')),
        password: String(given.get('password')),
      }),
    'welcome',
  );
  if (!isWhole) return <Incomplete title={words.invitation.title} />;
  return (
    <Sheet title={words.invitation.title}>
      {work.error && <ProblemPanel error={work.error} fields={['displayName', 'password']} />}
      <form className="grid gap-3" onSubmit={submit}>
        <Field
          label={words.invitation.displayName}
          name="displayName"
          autoComplete="name"
          maxLength={128}
          issue={issueAt(work.error, 'displayName')}
          autoFocus
          required
        />
        <Field
          label={words.invitation.password}
          name="password"
          type="password"
          autoComplete="new-password"
          issue={issueAt(work.error, 'password')}
          required
        />
        <Button kind="primary" type="submit" busy={work.isPending}>
          {words.invitation.submit}
        </Button>
      </form>
    </Sheet>
  );
}

export function PasswordResetPage() {
  const words = useWords();
  const { isWhole, work, submit } = useMailed(
    (token, given) => visitor.signIn.resetPassword({ token, newPassword: String(given.get('newPassword')) }),
    'reset',
  );
  if (!isWhole) return <Incomplete title={words.reset.title} />;
  return (
    <Sheet title={words.reset.title}>
      {work.error && <ProblemPanel error={work.error} fields={['newPassword']} />}
      <form className="grid gap-3" onSubmit={submit}>
        <Field
          label={words.reset.password}
          name="newPassword"
          type="password"
          autoComplete="new-password"
          issue={issueAt(work.error, 'newPassword')}
          autoFocus
          required
        />
        <Button kind="primary" type="submit" busy={work.isPending}>
          {words.reset.submit}
        </Button>
      </form>
    </Sheet>
  );
}

const Incomplete = ({ title }: { title: string }) => (
  <Sheet title={title}>
    <p>{useWords().reset.missing}</p>
  </Sheet>
);
