// What the page is about, where its address names something: as the API tells it, and what happened to it.
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Json } from '../../ui/json.tsx';
import { ProblemPanel } from '../../ui/problem.tsx';
import { Unfold } from '../../ui/unfold.tsx';
import { Waiting } from '../../ui/waiting.tsx';
import { useFormats, useWords } from '../../words/words.tsx';
import { useWorkspace } from '../workspace.tsx';

/** The last of the address that is the name of something; the account itself is not meant. */
const sidIn = (page: string) =>
  page
    .split('/')
    .slice(4)
    .findLast((part) => /^[A-Z]{2}[0-9A-Za-z]{20,}$/.test(part));

const isNamed = (value: unknown, sid: string): value is object =>
  typeof value === 'object' && value !== null && 'sid' in value && value.sid === sid;

export function Opened({ page }: { page: string }) {
  const words = useWords().inspector;
  const { can } = useWorkspace();
  const sid = sidIn(page);
  if (!sid) return null;
  return (
    <section className="grid gap-2">
      <h3 className="font-semibold wrap-anywhere">{sid}</h3>
      <AsTold sid={sid} />
      {can('listEvents') && <Unfold label={words.events}>{() => <Events sid={sid} />}</Unfold>}
    </section>
  );
}

/** The page has read it already. */
function AsTold({ sid }: { sid: string }) {
  const words = useWords().inspector;
  const { key } = useWorkspace();
  const known = useQueryClient().getQueriesData({ queryKey: key });
  const found = known.map(([, data]) => data).find((data) => isNamed(data, sid));
  return (
    found && (
      <div data-told={sid}>
        <Unfold label={words.json}>{() => <Json value={found} />}</Unfold>
      </div>
    )
  );
}

function Events({ sid }: { sid: string }) {
  const words = useWords().inspector;
  const { time } = useFormats();
  const { api, key } = useWorkspace();
  const { data, error, refetch } = useQuery({
    queryKey: [...key, 'events', 'of', sid],
    queryFn: async () => await api.events.list({ resourceSid: sid, sort: '-sequence', limit: 20 }),
  });
  if (error) return <ProblemPanel error={error} retry={refetch} />;
  if (!data) return <Waiting />;
  if (data.data.length === 0) return <p className="text-quiet">{words.noEvent}</p>;
  return (
    <ol className="mt-2 grid gap-1">
      {data.data.map((event) => (
        <li key={event.id} data-event={event.type}>
          <Unfold label={`${event.sequence} ${event.type} ${time(event.occurredAt)}`}>
            {() => <Json value={event} />}
          </Unfold>
        </li>
      ))}
    </ol>
  );
}
