// The business account something belongs to; asked for only where there is more than one.
import { useQuery } from '@tanstack/react-query';
import { issueAt } from '../../api/problem.ts';
import { useWorkspace } from '../../shell/workspace.tsx';
import { Choose } from '../../ui/field.tsx';
import { useResourceWords } from '../../words/resources/words.ts';

/** Those that are connected; none for whoever may not read them. */
export function useConnectedWabas() {
  const { api, can, key } = useWorkspace();
  const { data } = useQuery({
    queryKey: [...key, 'wabas', 'connected'],
    queryFn: async () => {
      const { data: all } = await api.providerAccounts.listWabas({ limit: 100 });
      return all.filter(({ connection }) => connection.state === 'CONNECTED');
    },
    enabled: can('listWabas'),
  });
  return data ?? [];
}

type Props = { value: string; error: unknown; onChange(wabaSid: string): void };

export function WabaField({ value, error, onChange }: Props) {
  const words = useResourceWords();
  const wabas = useConnectedWabas();
  if (wabas.length < 2) return null;
  return (
    <Choose
      label={words.waba}
      value={value}
      issue={issueAt(error, 'wabaSid')}
      choices={[
        { value: '', label: words.choose },
        ...wabas.map(({ sid, name }) => ({ value: sid, label: `${name} ${sid}` })),
      ]}
      required
      onChange={({ target }) => onChange(target.value)}
    />
  );
}
