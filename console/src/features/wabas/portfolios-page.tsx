// What the provider limits as a whole, and how much room is left.
import type { Portfolio } from '@godwit/sdk';
import { CursorList } from '../../shell/cursor-list.tsx';
import { useWorkspace } from '../../shell/workspace.tsx';
import { Panel } from '../../ui/panel.tsx';
import { useResourceWords } from '../../words/resources/words.ts';
import { useFormats } from '../../words/words.tsx';
import { WabaLink } from '../resources/waba-link.tsx';

export function PortfoliosPage() {
  const words = useResourceWords().portfolios;
  const { api } = useWorkspace();
  return (
    <div className="grid gap-4">
      <h1>{words.title}</h1>
      <CursorList
        name={['portfolios']}
        load={(page) => api.providerAccounts.listPortfolios(page)}
        none={words.none}
        untabled
      >
        {(portfolios) => portfolios.map((one) => <One key={one.id} portfolio={one} />)}
      </CursorList>
    </div>
  );
}

function One({ portfolio: { name, providerBusinessId, limits, limitsUpdatedAt } }: { portfolio: Portfolio }) {
  const words = useResourceWords().portfolios;
  const { number, time } = useFormats();
  const { messaging, phoneNumbers, templates } = limits;
  return (
    <Panel title={name} aside={<code>{providerBusinessId}</code>}>
      <ul className="grid gap-3">
        <li>
          {words.messaging(number(messaging.windowHours))} (
          {words.tiers[messaging.tier as keyof typeof words.tiers] ?? messaging.tier})
          <Room label={words.messaging(number(messaging.windowHours))} of={messaging} />
        </li>
        <li>
          {words.phoneNumbers}
          <Room label={words.phoneNumbers} of={phoneNumbers} />
        </li>
        {templates.map(({ wabaSid, ...use }) => (
          <li key={wabaSid}>
            {words.templates} <WabaLink sid={wabaSid} label={wabaSid} />
            <Room label={`${words.templates} ${wabaSid}`} of={use} />
          </li>
        ))}
      </ul>
      <p className="mt-3 text-sm text-quiet">{words.asOf(time(limitsUpdatedAt))}</p>
    </Panel>
  );
}

/** A bar where there is an end. */
function Room({ label, of: { limit, used } }: { label: string; of: { limit: number | null; used: number } }) {
  const words = useResourceWords().portfolios;
  const { number } = useFormats();
  if (limit === null) return <p className="text-quiet">{words.unlimited(number(used))}</p>;
  const left = Math.max(limit - used, 0);
  return (
    <div className="flex flex-wrap items-center gap-3">
      <meter
        aria-label={label}
        min={0}
        max={Math.max(limit, 1)}
        high={limit * 0.8}
        value={used}
        className="w-60"
      />
      <span data-left={left} className={`tabular-nums ${left === 0 ? 'text-bad' : 'text-quiet'}`}>
        {words.room(number(used), number(limit), number(left))}
      </span>
    </div>
  );
}
