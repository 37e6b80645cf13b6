// The messages of an account, newest first, by what one looks for. The filters stand in the address.
import type { Message } from '@godwit/sdk';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { memo } from 'react';
import { CursorList } from '../../shell/cursor-list.tsx';
import { RowLink } from '../../shell/links/row-link.tsx';
import { useWorkspace } from '../../shell/workspace.tsx';
import { buttonClass } from '../../ui/button.tsx';
import { Filter } from '../../ui/field.tsx';
import { PageHead } from '../../ui/page-head.tsx';
import { Cell, Row, Table } from '../../ui/table.tsx';
import { useFormats, useWords } from '../../words/words.tsx';
import { directions, statuses } from './filters.ts';
import { Status } from './status.tsx';

const from = '/$environment/$account/messages' as const;

export function MessagesPage() {
  const words = useWords().messages;
  const { can, environment, account } = useWorkspace();
  const here = { environment, account: account.accountSid };
  return (
    <div className="grid gap-4">
      <PageHead title={words.title}>
        {can('sendMessage') && can('listSenders') && (
          <Link to="/$environment/$account/messages/new" params={here} className={buttonClass('primary')}>
            {words.write}
          </Link>
        )}
      </PageHead>
      {can('listMessages') && (
        <>
          <Filters />
          <Found />
        </>
      )}
    </div>
  );
}

function Filters() {
  const words = useWords().messages;
  const search = useSearch({ from });
  const navigate = useNavigate({ from });
  return (
    <div className="grid max-w-xl gap-3 sm:grid-cols-2">
      <Filter
        label={words.status}
        value={search.status}
        all={statuses}
        names={words.statuses}
        onChange={(status) => navigate({ search: (before) => ({ ...before, status }) })}
      />
      <Filter
        label={words.direction}
        value={search.direction}
        all={directions}
        names={words.directions}
        onChange={(direction) => navigate({ search: (before) => ({ ...before, direction }) })}
      />
    </div>
  );
}

function Found() {
  const words = useWords().messages;
  const { api } = useWorkspace();
  const { status, direction } = useSearch({ from });
  return (
    <CursorList
      name={['messages', { status, direction }]}
      load={(page) => api.messages.list({ status, direction, ...page })}
      none={words.none}
    >
      {(messages) => <Rows messages={messages} />}
    </CursorList>
  );
}

function Rows({ messages }: { messages: Message[] }) {
  const words = useWords().messages;
  return (
    <Table columns={[words.when, words.direction, words.person, words.status, words.content]} reuseRows>
      {messages.map((message) => (
        <MessageRow key={message.sid} message={message} />
      ))}
    </Table>
  );
}

const MessageRow = memo(({ message }: { message: Message }) => {
  const { directions } = useWords().messages;
  const { time } = useFormats();
  const { here } = useWorkspace();
  return (
    <Row>
      <Cell className="whitespace-nowrap">
        <RowLink
          to="/$environment/$account/messages/$message"
          params={{ ...here, message: message.sid }}
          className="text-accent underline"
        >
          {time(message.createdAt)}
        </RowLink>
      </Cell>
      <Cell>{directions[message.direction as keyof typeof directions] ?? message.direction}</Cell>
      <Cell>{message.to.value}</Cell>
      <Cell>
        <Status status={message.status} />
      </Cell>
      <Cell className="max-w-80 truncate">{gist(message)}</Cell>
    </Row>
  );
});

/** A line of what it says. */
export function gist({ type, content }: Message): string {
  const { body, name } = (content ?? {}) as { body?: unknown; name?: unknown };
  return [body, name].find((one) => typeof one === 'string') ?? type;
}
