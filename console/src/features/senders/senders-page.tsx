// The numbers messages leave from, and how they are.
import type { Sender } from '@godwit/sdk';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { CursorList } from '../../shell/cursor-list.tsx';
import { MakingHead } from '../../shell/making.tsx';
import { useWorkspace } from '../../shell/workspace.tsx';
import { Filter } from '../../ui/field.tsx';
import { PageHead } from '../../ui/page-head.tsx';
import { Cell, Row, Table } from '../../ui/table.tsx';
import { useResourceWords } from '../../words/resources/words.ts';
import { useFormats } from '../../words/words.tsx';
import { Quality } from '../resources/quality.tsx';
import { SenderLink } from '../resources/sender-link.tsx';
import { SenderStatus } from '../resources/sender-status.tsx';
import { senderStatuses } from './filters.ts';
import { NewSender } from './new-sender.tsx';

const from = '/$environment/$account/senders' as const;

export function SendersPage() {
  const words = useResourceWords().senders;
  const { api, environment } = useWorkspace();
  const { status } = useSearch({ from });
  const navigate = useNavigate({ from });
  return (
    <div className="grid gap-4">
      {environment === 'sandbox' ? (
        <MakingHead
          title={words.title}
          make={words.make}
          by="createSender"
          form={(close) => <NewSender onDone={close} />}
        />
      ) : (
        // Live numbers come with their business account.
        <PageHead title={words.title} />
      )}
      <div className="max-w-xs">
        <Filter
          label={words.status}
          value={status}
          all={senderStatuses}
          names={words.statuses}
          onChange={(wanted) => navigate({ search: { status: wanted } })}
        />
      </div>
      <CursorList
        name={['senders', { status }]}
        load={(page) => api.senders.list({ status, ...page })}
        none={words.none}
      >
        {(senders) => <Senders senders={senders} />}
      </CursorList>
    </div>
  );
}

function Senders({ senders }: { senders: Sender[] }) {
  const words = useResourceWords().senders;
  const { number } = useFormats();
  return (
    <Table columns={[words.number, words.name, words.status, words.ready, words.quality, words.throughput]}>
      {senders.map(({ sid, phoneNumber, displayName, status, ready, quality, throughput }) => (
        <Row key={sid}>
          <Cell className="whitespace-nowrap">
            <SenderLink sid={sid} label={phoneNumber} />
          </Cell>
          <Cell className="max-w-72 wrap-anywhere">{displayName}</Cell>
          <Cell>
            <SenderStatus status={status} />
          </Cell>
          <Cell className={ready ? 'text-good' : 'text-bad'}>{ready ? words.yes : words.no}</Cell>
          <Cell>
            <Quality quality={quality} />
          </Cell>
          <Cell className="tabular-nums">{words.perSecond(number(throughput.messagesPerSecond))}</Cell>
        </Row>
      ))}
    </Table>
  );
}
