// What takes a second factor asks for it in place, and then goes on: the same call, under the same key.
import { GodwitError, type MfaVerificationOptions } from '@godwit/sdk';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { createContext, type ReactNode, useCallback, useContext, useState } from 'react';
import { Dialog } from '../ui/dialog.tsx';
import { ProblemPanel } from '../ui/problem.tsx';
import { Waiting } from '../ui/waiting.tsx';
import { useWords } from '../words/words.tsx';
import { FactorForm, type Proof } from './factor-form.tsx';
import { useWorkspace } from './workspace.tsx';

/** What a call is made with: its key, and the token once there is one. */
export type Shown = { stepUpToken?: string; idempotencyKey: string };
type Prove = <T>(call: (shown: Shown) => Promise<T>) => Promise<T>;
type Asked = { action: string; answer(token: string | null): void };

const Proving = createContext<Prove>(() => Promise.reject(new Error('outside')));

/** Makes a call, with a second factor where the service asks for one. */
export const useStepUp = (): Prove => useContext(Proving);

/** The action that a refusal wants a second factor for. */
function actionIn(error: unknown): string | null {
  if (!(error instanceof GodwitError) || !error.is('STEP_UP_REQUIRED')) return null;
  return error.details.find(({ path }) => path === 'stepUpAction')?.issue ?? null;
}

export function StepUp({ children }: { children: ReactNode }) {
  const words = useWords().stepUp;
  const [asked, setAsked] = useState<Asked | null>(null);
  const prove: Prove = useCallback(async (call) => {
    const idempotencyKey = crypto.randomUUID();
    try {
      return await call({ idempotencyKey });
    } catch (error) {
      const action = actionIn(error);
      if (!action) throw error;
      const token = await new Promise<string | null>((answer) => setAsked({ action, answer }));
      setAsked(null);
      // Whoever closes the dialog is left with the refusal.
      if (token === null) throw error;
      return call({ idempotencyKey, stepUpToken: token });
    }
  }, []);
  return (
    <Proving value={prove}>
      {children}
      <Dialog title={words.title} open={asked !== null} onClose={() => asked?.answer(null)}>
        {asked && <Factors key={asked.action} {...asked} />}
      </Dialog>
    </Proving>
  );
}

function Factors({ action, answer }: Asked) {
  const words = useWords().stepUp;
  const { api, key } = useWorkspace();
  const { data, error, refetch } = useQuery({
    queryKey: [...key, 'step-up', action],
    queryFn: () => api.identity.createMfaVerificationOptions({ action }),
    // A challenge is good once.
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
  });
  return (
    <>
      <p>
        {words.why} <code>{action}</code>
      </p>
      {error ? (
        <ProblemPanel error={error} />
      ) : data ? (
        <Showing
          options={data}
          action={action}
          onToken={answer}
          onRefused={refetch}
          onLeave={() => answer(null)}
        />
      ) : (
        <Waiting />
      )}
    </>
  );
}

type ShowingProps = {
  options: MfaVerificationOptions;
  action: string;
  onToken(token: string): void;
  /** The challenge is spent, and the next attempt needs another. */
  onRefused(): void;
  onLeave(): void;
};

function Showing({ options, action, onToken, onRefused, onLeave }: ShowingProps) {
  const words = useWords().stepUp;
  const { api, here } = useWorkspace();
  const prove = useMutation({
    mutationFn: async (proof: () => Promise<Proof>) =>
      api.identity.createStepUpToken({ action, ...(await proof()) }),
    onSuccess: ({ stepUpToken }) => onToken(stepUpToken),
    onError: onRefused,
    // A wrong code is refused like an ended session, and is none.
    meta: { isProof: true },
  });
  const methods: string[] = options.factors.map(({ method }) => method);
  if (options.recoveryCodesLeft > 0) methods.push('RECOVERY_CODE');
  if (methods.length === 0)
    return (
      <p>
        {words.noFactor}{' '}
        <Link
          to="/$environment/$account/security"
          params={here}
          className="text-accent underline"
          onClick={onLeave}
        >
          {words.addFactor}
        </Link>
      </p>
    );
  return (
    <>
      {prove.error && <ProblemPanel error={prove.error} />}
      <FactorForm
        methods={methods}
        passkey={options.publicKey}
        busy={prove.isPending}
        onProve={prove.mutate}
      />
    </>
  );
}
