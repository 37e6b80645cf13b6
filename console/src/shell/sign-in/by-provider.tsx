// Signing in through the organization's own identity provider. The service sends the browser there and back.
import type { Environment } from '../../api/environment.ts';
import { Button } from '../../ui/button.tsx';
import { Field } from '../../ui/field.tsx';
import { Sheet } from '../../ui/panel.tsx';
import { useWords } from '../../words/words.tsx';

type Props = {
  environment: Environment;
  to: string | undefined;
  provider: string | undefined;
  account: string | undefined;
  onBack(): void;
};

export function ByProvider({ environment, to = '/console/', provider, account, onBack }: Props) {
  const words = useWords().signIn;
  return (
    <Sheet title={words.byProvider}>
      <form
        className="grid gap-3"
        onSubmit={(event) => {
          event.preventDefault();
          const given = new FormData(event.currentTarget);
          const query = new URLSearchParams({
            accountSid: String(given.get('account')).trim(),
            environment,
            returnTo: to,
          });
          const key = encodeURIComponent(String(given.get('provider')).trim());
          location.assign(`/v1/auth/sso/${key}/start?${query}`);
        }}
      >
        <Field label={words.accountSid} name="account" defaultValue={account} pattern="AC.+" required />
        <Field
          label={words.providerKey}
          name="provider"
          defaultValue={provider}
          hint={words.providerHint}
          required
        />
        <Button kind="primary" type="submit">
          {words.goToProvider}
        </Button>
      </form>
      <Button kind="quiet" onClick={onBack}>
        {words.back}
      </Button>
    </Sheet>
  );
}
