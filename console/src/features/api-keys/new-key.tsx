// A new key, with some of the scopes its maker holds.
import type { ApiKeyWithSecret, CreateApiKeyRequest } from '@godwit/sdk';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { issueAt, problemOf } from '../../api/problem.ts';
import { useStepUp } from '../../shell/step-up.tsx';
import { useWorkspace } from '../../shell/workspace.tsx';
import { Button } from '../../ui/button.tsx';
import { Check, Checks } from '../../ui/check.tsx';
import { Area, Field } from '../../ui/field.tsx';
import { FormEnd } from '../../ui/form-end.tsx';
import { Panel } from '../../ui/panel.tsx';
import { ProblemPanel } from '../../ui/problem.tsx';
import { useWords } from '../../words/words.tsx';

const isReading = (scope: string) => scope.endsWith(':read');

type Props = { onMade(made: ApiKeyWithSecret): void; onCancel(): void };

export function NewKey({ onMade, onCancel }: Props) {
  const words = useWords().keys;
  const { api, account } = useWorkspace();
  const prove = useStepUp();
  const held = [...account.scopes].sort();
  const [scopes, setScopes] = useState(() => held.filter(isReading));
  const make = useMutation({
    mutationFn: (meant: CreateApiKeyRequest) =>
      prove(({ idempotencyKey, ...shown }) => api.apiKeys.create({ ...meant, ...shown }, { idempotencyKey })),
    onSuccess: onMade,
    gcTime: 0,
  });
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    make.mutate(meantBy(new FormData(event.currentTarget), scopes));
  };
  const { error } = make;
  const aboutScopes = problemOf(error).details.filter(({ path }) => path.startsWith('scopes'));
  const fields = ['name', 'allowedCidrs', 'expiresAt', ...aboutScopes.map(({ path }) => path)];
  return (
    <Panel title={words.make}>
      <form className="grid max-w-2xl gap-3" onSubmit={submit}>
        <Field
          label={words.name}
          name="name"
          maxLength={128}
          issue={issueAt(error, 'name')}
          autoFocus
          required
        />
        <div className="flex flex-wrap gap-2">
          <Button onClick={() => setScopes(held.filter(isReading))}>{words.onlyReading}</Button>
          <Button onClick={() => setScopes(held)}>{words.everything}</Button>
          <Button onClick={() => setScopes([])}>{words.nothing}</Button>
        </div>
        <Checks
          legend={words.scopes}
          all={held}
          chosen={scopes}
          issue={aboutScopes.map(({ issue }) => issue).join(', ') || null}
          onChange={setScopes}
        />
        <Area
          label={words.addresses}
          name="allowedCidrs"
          hint={words.addressesHint}
          issue={issueAt(error, 'allowedCidrs')}
        />
        <Field label={words.expires} name="expires" type="date" issue={issueAt(error, 'expiresAt')} />
        <Check label={words.signed} name="signed" />
        {error && <ProblemPanel error={error} fields={fields} />}
        <FormEnd submit={words.create} cancel={words.cancel} busy={make.isPending} onCancel={onCancel} />
      </form>
    </Panel>
  );
}

function meantBy(given: FormData, scopes: string[]): CreateApiKeyRequest {
  const text = (name: string) => String(given.get(name) ?? '').trim();
  const allowedCidrs = text('allowedCidrs').split(/\s+/).filter(Boolean);
  return {
    name: text('name'),
    scopes,
    ...(allowedCidrs.length > 0 && { allowedCidrs }),
    ...(text('expires') && { expiresAt: `${text('expires')}T00:00:00.000Z` }),
    ...(given.get('signed') && { signingRequired: true }),
  };
}
