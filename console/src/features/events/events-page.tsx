// Everything that happened in the account, numbered without a gap; the newest first.
import type { Event } from '@godwit/sdk';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { memo } from 'react';
import { CursorList } from '../../shell/cursor-list.tsx';
import { useWorkspace } from '../../shell/workspace.tsx';
import { Button } from '../../ui/button.tsx';
import { Field, Filter } from '../../ui/field.tsx';
import { Json } from '../../ui/json.tsx';
import { ProblemPanel } from '../../ui/problem.tsx';
import { Cell, Row, Table } from '../../ui/table.tsx';
import { Unfold } from '../../ui/unfold.tsx';
import { useFormats, useWords } from '../../words/words.tsx';

const from = '/$environment/$account/events' as const;

export function EventsPage() {
  const words = useWords().events;
  const { api, can } = useWorkspace();
  const { type, resource } = useSearch({ from });
  return (
    <div className="grid gap-4">
      <h1>{words.title}</h1>
      <Filters />
      {can('listEvents') && (
        <CursorList
          name={['events', { type, resource }]}
          load={(page) => api.events.list({ type, resourceSid: resource, sort: '-sequence', ...page })}
          none={words.none}
        >
          {(events) => <Events events={events} />}
        </CursorList>
      )}
    </div>
  );
}

function Filters() {
  const words = useWords().events;
  const { api, key } = useWorkspace();
  const search = useSearch({ from });
  const navigate = useNavigate({ from });
  const types = useQuery({
    queryKey: [...key, 'event-types'],
    queryFn: async () => (await api.events.listTypes()).data.map(({ name }) => name),
    staleTime: Number.POSITIVE_INFINITY,
  });
  return (
    <div className="grid max-w-3xl items-end gap-3 sm:grid-cols-3">
      <Filter
        label={words.type}
        value={search.type}
        all={types.data ?? []}
        onChange={(type) => navigate({ search: (before) => ({ ...before, type }) })}
      />
      <Field
        label={words.resource}
        defaultValue={search.resource ?? ''}
        onBlur={({ target }) =>
          navigate({ search: (before) => ({ ...before, resource: target.value.trim() || undefined }) })
        }
        onKeyDown={({ key: pressed, currentTarget }) => pressed === 'Enter' && currentTarget.blur()}
      />
      <Sample type={search.type} />
      {types.error && <ProblemPanel error={types.error} retry={types.refetch} />}
    </div>
  );
}

/** In a sandbox, an example of any type happens when it is asked for. */
function Sample({ type }: { type: string | undefined }) {
  const words = useWords().events;
  const { api, can, key, environment } = useWorkspace();
  const queries = useQueryClient();
  const trigger = useMutation({
    mutationFn: (wanted: string) => api.events.trigger({ type: wanted }),
    onSuccess: () => queries.invalidateQueries({ queryKey: [...key, 'events'] }),
  });
  if (environment !== 'sandbox' || !can('triggerEvent')) return null;
  return (
    <>
      <Button disabled={!type} busy={trigger.isPending} onClick={() => type && trigger.mutate(type)}>
        {type ? words.trigger(type) : words.triggerFirst}
      </Button>
      {trigger.error && <ProblemPanel error={trigger.error} />}
    </>
  );
}

function Events({ events }: { events: Event[] }) {
  const words = useWords().events;
  return (
    <Table columns={[words.sequence, words.when, words.type, words.content]}>
      {events.map((event) => (
        <EventRow key={event.id} event={event} />
      ))}
    </Table>
  );
}

const EventRow = memo(({ event }: { event: Event }) => {
  const { number, precise } = useFormats();
  return (
    <Row>
      <Cell className="tabular-nums">{number(event.sequence)}</Cell>
      <Cell className="whitespace-nowrap">{precise(event.occurredAt)}</Cell>
      <Cell>
        <code className="whitespace-nowrap">{event.type}</code>
      </Cell>
      <Cell>
        <Unfold label={event.id}>
          {() => (
            <>
              <Json value={event} />
              <Again sid={event.id} />
            </>
          )}
        </Unfold>
      </Cell>
    </Row>
  );
});

/** Sends an event once more, to all endpoints it is for. */
function Again({ sid }: { sid: string }) {
  const words = useWords().events;
  const { number } = useFormats();
  const { api, can } = useWorkspace();
  const again = useMutation({ mutationFn: () => api.webhooks.redeliverEvent(sid) });
  if (!can('redeliverEvent')) return null;
  return (
    <div className="mt-2 flex flex-wrap items-center gap-2">
      <Button busy={again.isPending} onClick={() => again.mutate()}>
        {words.again}
      </Button>
      {again.data && <span role="status">{words.accepted(number(again.data.accepted))}</span>}
      {again.error && <ProblemPanel error={again.error} />}
    </div>
  );
}
