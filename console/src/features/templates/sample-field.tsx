// The sample of a header that is a file: one of the account's own media, taken to the provider.
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useWorkspace } from '../../shell/workspace.tsx';
import { Choose } from '../../ui/field.tsx';
import { ProblemPanel } from '../../ui/problem.tsx';
import { useResourceWords } from '../../words/resources/words.ts';

type Props = { format: string; handle: string; issue: string | null; onHandle(handle: string): void };

export function SampleField({ format, handle, issue, onHandle }: Props) {
  const words = useResourceWords().templates;
  const { api, can, key } = useWorkspace();
  const [picked, setPicked] = useState('');
  const media = useQuery({
    queryKey: [...key, 'media', 'ready'],
    queryFn: async () => {
      const { data } = await api.media.list({ limit: 100 });
      return data.filter(({ status }) => status === 'READY');
    },
    enabled: can('listMedia'),
  });
  const take = useMutation({
    mutationFn: (mediaSid: string) => api.media.createUpload({ mediaSid }),
    onSuccess: (upload) => onHandle(upload.handle),
  });
  const choices = (media.data ?? []).filter(({ type }) => type === format);
  return (
    <>
      <Choose
        label={words.sample}
        value={picked}
        hint={handle ? words.sampleTaken : words.sampleHint}
        issue={issue}
        required={!handle}
        disabled={take.isPending}
        choices={[
          { value: '', label: '—' },
          ...choices.map(({ sid, filename }) => ({ value: sid, label: filename ?? sid })),
        ]}
        onChange={({ target }) => {
          setPicked(target.value);
          if (target.value) take.mutate(target.value);
        }}
      />
      {take.error && <ProblemPanel error={take.error} />}
    </>
  );
}
