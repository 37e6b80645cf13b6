// The signed proof of what somebody agreed to: made, proven in this browser, and kept as a file.
import { useMutation } from '@tanstack/react-query';
import { download } from '../../../shell/download.ts';
import { useWorkspace } from '../../../shell/workspace.tsx';
import { Button } from '../../../ui/button.tsx';
import { Panel } from '../../../ui/panel.tsx';
import { ProblemPanel } from '../../../ui/problem.tsx';
import { useWords } from '../../../words/words.tsx';
import { Proven } from './proven.tsx';
import { canProve, useProof } from './use-proof.ts';

export function Certificate({ contactSid }: { contactSid: string }) {
  const words = useWords().proof;
  const { api, can } = useWorkspace();
  const proof = useProof();
  const make = useMutation({
    mutationFn: () => api.consent.certify(contactSid),
    onSuccess: ({ certificate }) => canProve && proof.mutate(certificate),
  });
  if (!can('certifyConsents')) return null;
  const error = make.error ?? proof.error;
  const made = make.data;
  return (
    <Panel
      title={words.proof}
      aside={
        <Button busy={make.isPending} onClick={() => make.mutate()}>
          {words.make}
        </Button>
      }
    >
      <div className="grid gap-3">
        {!made && !error && <p className="text-quiet">{words.help}</p>}
        {error && <ProblemPanel error={error} />}
        {made && (
          <Button
            className="justify-self-start"
            onClick={() =>
              download(
                `consents-${contactSid}.json`,
                new Blob([JSON.stringify(made, null, 2)], { type: 'application/json' }),
              )
            }
          >
            {words.download}
          </Button>
        )}
        {!canProve && <p className="text-warn">{words.cannotProve}</p>}
        {proof.data && <Proven verdict={proof.data} />}
      </div>
    </Panel>
  );
}
