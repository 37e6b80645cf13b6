// Whether a certificate that somebody brings holds: pasted or chosen as a file, and proven here.
import { type FormEvent, useState } from 'react';
import { Button } from '../../../ui/button.tsx';
import { Area, Field } from '../../../ui/field.tsx';
import { Panel } from '../../../ui/panel.tsx';
import { ProblemPanel } from '../../../ui/problem.tsx';
import { useWords } from '../../../words/words.tsx';
import { Proven } from './proven.tsx';
import { canProve, useProof } from './use-proof.ts';

export function ProofPage() {
  const words = useWords().proof;
  const [text, setText] = useState('');
  const proof = useProof();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    proof.mutate(text);
  };
  const change = (changed: string) => {
    setText(changed);
    // What was proven is no longer what stands there.
    proof.reset();
  };
  return (
    <div className="grid gap-4">
      <h1>{words.title}</h1>
      <p className="text-quiet">{words.about}</p>
      <Panel title={words.certificate}>
        <form className="grid max-w-2xl gap-3" onSubmit={submit}>
          <Field
            label={words.file}
            type="file"
            accept=".json,.jwt,.txt"
            onChange={async ({ target }) => {
              const [file] = target.files ?? [];
              if (file) change(await file.text());
            }}
          />
          <Area
            label={words.pasted}
            value={text}
            spellCheck={false}
            onChange={({ target }) => change(target.value)}
          />
          {!canProve && <p className="text-warn">{words.cannotProve}</p>}
          <Button
            kind="primary"
            type="submit"
            className="justify-self-start"
            disabled={!canProve || text.trim() === ''}
            busy={proof.isPending}
          >
            {words.verify}
          </Button>
        </form>
      </Panel>
      {proof.error && <ProblemPanel error={proof.error} />}
      {proof.data && (
        <Panel title={words.verdict}>
          <Proven verdict={proof.data} />
        </Panel>
      )}
    </div>
  );
}
