import type { MessageAnalytics } from '@godwit/sdk';
import { useQuery } from '@tanstack/react-query';
import { useWorkspace } from '../../shell/workspace.tsx';
import { Panel } from '../../ui/panel.tsx';
import { ProblemPanel } from '../../ui/problem.tsx';
import { Waiting } from '../../ui/waiting.tsx';
import { useFormats, useWords } from '../../words/words.tsx';
import { byHour, daysOf, type Hour, hoursUntil, totalsOf } from './hours.ts';

export function Last24Hours() {
  const words = useWords().home;
  const { api, can, key } = useWorkspace();
  const hours = hoursUntil(new Date());
  const { data, error, refetch } = useQuery({
    queryKey: [...key, 'analytics', hours[0]!.toISOString()],
    queryFn: async () => {
      const counts: MessageAnalytics[] = [];
      const asked = { ...daysOf(hours), groupBy: 'hour,direction,status' };
      for await (const count of api.analytics.getMessageAnalytics(asked)) counts.push(count);
      return counts;
    },
    enabled: can('getMessageAnalytics'),
  });
  if (!can('getMessageAnalytics')) return null;
  return (
    <Panel title={words.last24}>
      {error ? (
        <ProblemPanel error={error} retry={refetch} />
      ) : data ? (
        <Shown hours={hours} counts={data} />
      ) : (
        <Waiting />
      )}
    </Panel>
  );
}

function Shown({ hours, counts }: { hours: Date[]; counts: MessageAnalytics[] }) {
  const words = useWords().home;
  const { number } = useFormats();
  const totals = totalsOf(hours, counts);
  const perHour = byHour(hours, counts);
  const most = Math.max(...perHour.map(({ outgoing, incoming }) => outgoing + incoming));
  return (
    <>
      <dl className="grid grid-cols-2 gap-3 sm:grid-cols-4">
        {(['sent', 'delivered', 'failed', 'received'] as const).map((name) => (
          <div key={name}>
            <dt className="text-sm text-quiet">{words[name]}</dt>
            <dd data-figure={name} className="text-2xl font-semibold tabular-nums">
              {number(totals[name])}
            </dd>
          </div>
        ))}
      </dl>
      {most === 0 ? (
        <p className="mt-3 text-quiet">{words.quiet}</p>
      ) : (
        <Chart perHour={perHour} most={most} />
      )}
    </>
  );
}

/** Bars for the eye; whoever cannot see them has the same in a table. */
function Chart({ perHour, most }: { perHour: Hour[]; most: number }) {
  const words = useWords().home;
  const { number, time, hour } = useFormats();
  const caption = words.chart(time(perHour[0]!.at), time(perHour.at(-1)!.at));
  const height = (count: number) => (count / most) * 60;
  return (
    <figure className="mt-4">
      <svg viewBox="0 0 240 60" preserveAspectRatio="none" className="h-24 w-full" aria-hidden="true">
        {perHour.map(({ at, outgoing, incoming }, index) => (
          <g key={at.getTime()}>
            <rect
              className="fill-accent"
              x={index * 10 + 1}
              width={8}
              y={60 - height(outgoing)}
              height={height(outgoing)}
            />
            <rect
              className="fill-warn"
              x={index * 10 + 1}
              width={8}
              y={60 - height(outgoing) - height(incoming)}
              height={height(incoming)}
            />
          </g>
        ))}
      </svg>
      <figcaption className="mt-1 text-sm text-quiet">{caption}</figcaption>
      {/* A table grows with its rows whatever it is told, and would make the page longer. */}
      <div className="sr-only">
        <table>
          <caption>{caption}</caption>
          <thead>
            <tr>
              <th scope="col">{words.hour}</th>
              <th scope="col">{words.outgoing}</th>
              <th scope="col">{words.incoming}</th>
            </tr>
          </thead>
          <tbody>
            {perHour.map(({ at, outgoing, incoming }) => (
              <tr key={at.getTime()}>
                <th scope="row">{hour(at)}</th>
                <td>{number(outgoing)}</td>
                <td>{number(incoming)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </figure>
  );
}
