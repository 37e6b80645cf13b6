// The second step of a sign-in: a passkey or a code.
import type { SignIn } from '@godwit/sdk';
import { useMutation } from '@tanstack/react-query';
import { visitor } from '../../api/clients.ts';
import { Sheet } from '../../ui/panel.tsx';
import { ProblemPanel } from '../../ui/problem.tsx';
import { useWords } from '../../words/words.tsx';
import { FactorForm, type Proof } from '../factor-form.tsx';

export function SecondStep({ first, onDone }: { first: SignIn; onDone(): void }) {
  const prove = useMutation({
    mutationFn: async (proof: () => Promise<Proof>) =>
      visitor.signIn.withSecondFactor({ signInToken: first.signInToken!, ...(await proof()) }),
    onSuccess: onDone,
  });
  return (
    <Sheet title={useWords().signIn.second.title}>
      {prove.error && <ProblemPanel error={prove.error} />}
      <FactorForm
        methods={first.methods}
        passkey={first.webauthn}
        busy={prove.isPending}
        onProve={prove.mutate}
      />
    </Sheet>
  );
}
