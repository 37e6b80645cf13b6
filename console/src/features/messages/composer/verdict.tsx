// Every gate with what it found, the price by line, and when the message would leave.
import type { Preflight, PreflightCheck } from '@godwit/sdk';
import { useFormats, useWords } from '../../../words/words.tsx';
import { Evidence } from './evidence.tsx';

const colours: Record<string, string> = { pass: 'text-good', fail: 'text-bad', warn: 'text-warn' };

export function Verdict({ verdict, isCurrent }: { verdict: Preflight; isCurrent: boolean }) {
  const words = useWords().composer;
  const { money, time } = useFormats();
  const { accepted, checks, cost, wouldSendAt, error, resolved } = verdict;
  return (
    <div className="grid gap-3" aria-busy={!isCurrent} data-verdict={accepted ? 'accepted' : 'refused'}>
      <p role="status" className={`font-semibold ${accepted ? 'text-good' : 'text-bad'}`}>
        {accepted ? words.accepted : `${words.refused} ${error?.message ?? ''}`}
      </p>
      {cost && (
        <dl className="grid grid-cols-[1fr_auto] gap-x-4 text-sm">
          <dt>{words.price}</dt>
          <dd className="font-semibold tabular-nums">{money(cost.total)}</dd>
          {cost.lines.map(({ kind, amount }) => (
            <div key={kind} className="contents text-quiet">
              <dt>{kind}</dt>
              <dd className="tabular-nums">{money(amount)}</dd>
            </div>
          ))}
        </dl>
      )}
      {wouldSendAt && <p className="text-sm text-quiet">{words.leaves(time(wouldSendAt))}</p>}
      <ul className="grid gap-1 text-sm">
        {checks.map((check) => (
          <Gate key={check.gate} check={check} contactSid={resolved.contactSid} />
        ))}
      </ul>
    </div>
  );
}

type GateProps = { check: PreflightCheck; contactSid: string | null };

function Gate({ check: { gate, outcome, code, message, evidence }, contactSid }: GateProps) {
  const words = useWords().composer;
  return (
    <li data-gate={gate} data-outcome={outcome}>
      <span className={colours[outcome] ?? 'text-quiet'}>
        {words.outcomes[outcome as keyof typeof words.outcomes] ?? outcome}
      </span>{' '}
      {gate} {code && <code>{code}</code>}
      {message && <span className="block text-quiet wrap-anywhere">{message}</span>}
      {outcome !== 'pass' && outcome !== 'skip' && <Evidence of={evidence} contactSid={contactSid} />}
    </li>
  );
}
