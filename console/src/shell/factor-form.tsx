// Showing a second factor: a passkey, or a code of an app or from the list of recovery codes.

import { Button } from '../ui/button.tsx';
import { Choose, Field } from '../ui/field.tsx';
import { useWords } from '../words/words.tsx';
import { presentPasskey } from './proofs.ts';

export type Proof = { method: 'WEBAUTHN' | 'TOTP' | 'RECOVERY_CODE'; assertion: string; challenge?: string };

type Props = {
  methods: readonly string[];
  /** What the browser is asked for a passkey with; null where there is none. */
  passkey: Record<string, unknown> | null;
  busy: boolean;
  /** Asked only when the person acts: a passkey is shown by their hand. */
  onProve(proof: () => Promise<Proof>): void;
};

export function FactorForm({ methods, passkey, busy, onProve }: Props) {
  const words = useWords().signIn.second;
  const choices = [
    { value: 'TOTP', label: words.app },
    { value: 'RECOVERY_CODE', label: words.recovery },
  ].filter(({ value }) => methods.includes(value));
  const byPasskey = async (options: Record<string, unknown>): Promise<Proof> => ({
    method: 'WEBAUTHN',
    assertion: await presentPasskey(options),
    challenge: String(options.challenge),
  });
  return (
    <>
      {passkey && (
        <Button kind="primary" busy={busy} onClick={() => onProve(() => byPasskey(passkey))}>
          {words.passkey}
        </Button>
      )}
      {choices.length > 0 && (
        <form
          className="grid gap-3"
          onSubmit={(event) => {
            event.preventDefault();
            const given = new FormData(event.currentTarget);
            const method = String(given.get('method')) as Proof['method'];
            onProve(async () => ({ method, assertion: String(given.get('code')).trim() }));
          }}
        >
          <Field label={words.code} name="code" autoComplete="one-time-code" autoFocus required />
          <Choose label={words.from} name="method" choices={choices} />
          <Button kind="primary" type="submit" busy={busy}>
            {words.submit}
          </Button>
        </form>
      )}
    </>
  );
}
