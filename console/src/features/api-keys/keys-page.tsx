// The keys by which programs come in: made, given a new secret, turned off and on again.
import type { ApiKey, ApiKeyWithSecret } from '@godwit/sdk';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useAct } from '../../shell/act.ts';
import { CursorList } from '../../shell/cursor-list.tsx';
import { MakingHead } from '../../shell/making.tsx';
import { useStepUp } from '../../shell/step-up.tsx';
import { useWorkspace } from '../../shell/workspace.tsx';
import { Button } from '../../ui/button.tsx';
import { ProblemPanel } from '../../ui/problem.tsx';
import { ShownOnce } from '../../ui/shown-once.tsx';
import { Cell, Row, Table } from '../../ui/table.tsx';
import { useFormats, useWords } from '../../words/words.tsx';
import { NewKey } from './new-key.tsx';

export function KeysPage() {
  const words = useWords().keys;
  const { api, can, key } = useWorkspace();
  const queries = useQueryClient();
  const [made, setMade] = useState<ApiKeyWithSecret | null>(null);
  const show = (one: ApiKeyWithSecret) => {
    setMade(one);
    void queries.invalidateQueries({ queryKey: [...key, 'api-keys'] });
  };
  return (
    <div className="grid gap-4">
      <MakingHead
        title={words.title}
        make={words.make}
        by="createApiKey"
        form={(close) => (
          <NewKey
            onCancel={close}
            onMade={(one) => {
              show(one);
              close();
            }}
          />
        )}
      />
      {made && (
        <ShownOnce
          title={words.shown(made.name)}
          secrets={[
            [words.key, made.key],
            [words.signingSecret, made.signingSecret],
          ]}
          onKept={() => setMade(null)}
        />
      )}
      {can('listApiKeys') && (
        <CursorList name={['api-keys']} load={(page) => api.apiKeys.list(page)} none={words.none}>
          {(keys) => <Keys keys={keys} onRotated={show} />}
        </CursorList>
      )}
    </div>
  );
}

function Keys({ keys, onRotated }: { keys: ApiKey[]; onRotated(made: ApiKeyWithSecret): void }) {
  const words = useWords().keys;
  const { time } = useFormats();
  return (
    <Table columns={[words.name, words.id, words.scopes, words.lastUsed, words.state, words.do]}>
      {keys.map((one) => (
        <Row key={one.id}>
          <Cell className="max-w-60 wrap-anywhere">{one.name}</Cell>
          <Cell>
            <code>{one.keyId}</code>
          </Cell>
          <Cell>
            <details>
              <summary>{one.scopes.length}</summary>
              {one.scopes.join(' ')}
            </details>
          </Cell>
          <Cell className="whitespace-nowrap">{one.lastUsedAt ? time(one.lastUsedAt) : words.never}</Cell>
          <Cell>
            <State one={one} />
          </Cell>
          <Cell>
            <Acts one={one} onRotated={onRotated} />
          </Cell>
        </Row>
      ))}
    </Table>
  );
}

function State({ one: { disabled, expiresAt } }: { one: ApiKey }) {
  const words = useWords().keys;
  const { time } = useFormats();
  if (disabled) return <span className="text-bad">{words.disabled}</span>;
  if (!expiresAt) return <span className="text-good">{words.active}</span>;
  const isOver = new Date(expiresAt).getTime() <= Date.now();
  return isOver ? (
    <span className="text-bad">{words.expired}</span>
  ) : (
    <span className="text-good">{words.until(time(expiresAt))}</span>
  );
}

function Acts({ one, onRotated }: { one: ApiKey; onRotated(made: ApiKeyWithSecret): void }) {
  const words = useWords().keys;
  const { api, can } = useWorkspace();
  const prove = useStepUp();
  const turn = useAct('api-keys', () => api.apiKeys.update(one.id, { disabled: !one.disabled }));
  const rotate = useMutation({
    mutationFn: () =>
      prove(({ idempotencyKey, ...shown }) => api.apiKeys.rotate(one.id, shown, { idempotencyKey })),
    onSuccess: onRotated,
    gcTime: 0,
  });
  const error = turn.error ?? rotate.error;
  return (
    <div className="flex flex-wrap gap-2">
      {can('rotateApiKey') && (
        <Button busy={rotate.isPending} onClick={() => rotate.mutate()}>
          {words.rotate}
        </Button>
      )}
      {can('updateApiKey') && (
        <Button busy={turn.isPending} onClick={() => turn.mutate()}>
          {one.disabled ? words.enable : words.disable}
        </Button>
      )}
      {error && <ProblemPanel error={error} />}
    </div>
  );
}
