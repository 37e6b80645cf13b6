// Signing in: by password, with a second step where one is asked for, or through the organization's own provider.
import type { SignIn, SignInRequest } from '@godwit/sdk';
import { GodwitError } from '@godwit/sdk';
import { useMutation } from '@tanstack/react-query';
import { useRouter, useSearch } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { visitor } from '../../api/clients.ts';
import { type Environment, isEnvironment } from '../../api/environment.ts';
import { issueAt } from '../../api/problem.ts';
import { forgetSessions } from '../../api/session.ts';
import { Button } from '../../ui/button.tsx';
import { Field } from '../../ui/field.tsx';
import { Sheet } from '../../ui/panel.tsx';
import { ProblemPanel } from '../../ui/problem.tsx';
import { useWords } from '../../words/words.tsx';
import { solve } from '../proofs.ts';
import { ByProvider } from './by-provider.tsx';
import { SecondStep } from './second-step.tsx';

/** Where somebody wanted to go says which environment they mean. */
export const environmentIn = (to: string | undefined): Environment =>
  (to ?? '').split('/').find(isEnvironment) ?? 'sandbox';

export function SignInPage() {
  const { to, provider, account, told } = useSearch({ from: '/sign-in' });
  const router = useRouter();
  const words = useWords();
  const [first, setFirst] = useState<SignIn | null>(null);
  const [isByProvider, setByProvider] = useState(provider !== undefined);
  const environment = environmentIn(to);
  const enter = () => {
    forgetSessions();
    router.history.push(to ?? '/console/');
  };
  const signIn = useMutation({
    mutationFn: (given: SignInRequest) => withWork({ ...given, environment }),
    onSuccess: (answer) => (answer.status === 'signed_in' ? enter() : setFirst(answer)),
  });
  if (first) return <SecondStep first={first} onDone={enter} />;
  if (isByProvider)
    return (
      <ByProvider
        environment={environment}
        to={to}
        provider={provider}
        account={account}
        onBack={() => setByProvider(false)}
      />
    );
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const given = new FormData(event.currentTarget);
    signIn.mutate({ email: String(given.get('email')), password: String(given.get('password')) });
  };
  return (
    <Sheet title={words.signIn.title}>
      {told && <p role="status">{told === 'welcome' ? words.invitation.done : words.reset.done}</p>}
      {signIn.error && <ProblemPanel error={signIn.error} fields={['email', 'password']} />}
      <form className="grid gap-3" onSubmit={submit}>
        <Field
          label={words.signIn.email}
          name="email"
          type="email"
          autoComplete="username"
          issue={issueAt(signIn.error, 'email')}
          autoFocus
          required
        />
        <Field
          label={words.signIn.password}
          name="password"
          type="password"
          autoComplete="current-password"
          issue={issueAt(signIn.error, 'password')}
          required
        />
        <Button kind="primary" type="submit" busy={signIn.isPending}>
          {words.signIn.submit}
        </Button>
        <Forgot />
      </form>
      <Button kind="quiet" onClick={() => setByProvider(true)}>
        {words.signIn.byProvider}
      </Button>
    </Sheet>
  );
}

/** After several failures the service asks for a second of work first. */
async function withWork(given: SignInRequest): Promise<SignIn> {
  try {
    return await visitor.signIn.withPassword(given);
  } catch (error) {
    if (!(error instanceof GodwitError) || !error.is('CAPTCHA_REQUIRED')) throw error;
    const captcha = await solve(await visitor.signIn.getChallenge());
    return visitor.signIn.withPassword({ ...given, captcha });
  }
}

/** A mail to the address that stands in the form. */
function Forgot() {
  const words = useWords().signIn;
  const recover = useMutation({ mutationFn: (email: string) => visitor.signIn.recoverPassword({ email }) });
  return (
    <>
      <Button
        kind="quiet"
        busy={recover.isPending}
        onClick={(event) => {
          const email = event.currentTarget.form!.elements.namedItem('email') as HTMLInputElement;
          if (email.reportValidity()) recover.mutate(email.value);
        }}
      >
        {words.forgot}
      </Button>
      {recover.error && <ProblemPanel error={recover.error} />}
      {recover.isSuccess && <p role="status">{words.forgotSent}</p>}
    </>
  );
}
