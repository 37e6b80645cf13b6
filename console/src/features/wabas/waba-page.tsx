// One business account: its connection, what the provider allows it, and its numbers.
import type { Waba } from '@godwit/sdk';
import { useParams } from '@tanstack/react-router';
import { Asked } from '../../shell/asked.tsx';
import { useWorkspace } from '../../shell/workspace.tsx';
import { type Fact, Facts } from '../../ui/facts.tsx';
import { PageHead } from '../../ui/page-head.tsx';
import { Panel } from '../../ui/panel.tsx';
import { Cell, Row, Table } from '../../ui/table.tsx';
import { useResourceWords } from '../../words/resources/words.ts';
import { useFormats } from '../../words/words.tsx';
import { OperationLink } from '../operations/operation-link.tsx';
import { Quality } from '../resources/quality.tsx';
import { SenderLink } from '../resources/sender-link.tsx';
import { SenderStatus } from '../resources/sender-status.tsx';
import { WabaWord } from './status.tsx';
import { WabaActs } from './waba-acts.tsx';

export function WabaPage() {
  const { waba: sid } = useParams({ from: '/$environment/$account/wabas/$waba' });
  const { api } = useWorkspace();
  return (
    <Asked name={['wabas', sid]} load={() => api.providerAccounts.getWaba(sid)}>
      {(waba) => (
        <div className="grid gap-4">
          <PageHead title={waba.name} />
          <div className="grid items-start gap-4 lg:grid-cols-2">
            <Connection waba={waba} />
            <What waba={waba} />
          </div>
          <Senders waba={waba} />
        </div>
      )}
    </Asked>
  );
}

function Connection({ waba }: { waba: Waba }) {
  const words = useResourceWords().wabas;
  const { time } = useFormats();
  const { state, token, subscription, operationSid, apiVersion, ...rest } = waba.connection;
  const facts: Fact[] = [
    [words.connection, <WabaWord key="state" state={state} />],
    [words.token, <WabaWord key="token" state={token} />],
    [words.subscription, <WabaWord key="subscription" state={subscription} />],
    [words.version, apiVersion],
    [words.since, time(rest.connectedAt)],
    ...(rest.disconnectedAt ? [[words.until, time(rest.disconnectedAt)] as const] : []),
    ...(rest.disconnectReason ? [[words.why, rest.disconnectReason] as const] : []),
  ];
  return (
    <Panel title={words.connection}>
      <Facts facts={facts} />
      {operationSid && (
        <p role="status" className="mt-3">
          <OperationLink sid={operationSid} label={words.working} />
        </p>
      )}
      <WabaActs waba={waba} />
    </Panel>
  );
}

function What({ waba }: { waba: Waba }) {
  const words = useResourceWords().wabas;
  const { number, time } = useFormats();
  const { reviewStatus, marketingMessages, catalogIds, restrictions } = waba;
  const facts: Fact[] = [
    [words.sid, <code key="sid">{waba.sid}</code>],
    [words.providerId, <code key="provider">{waba.providerWabaId}</code>],
    [words.portfolio, waba.portfolio.name],
    [words.status, <WabaWord key="status" state={waba.status} />],
    ...(waba.banState === 'NONE' ? [] : [[words.ban, <WabaWord key="ban" state={waba.banState} />] as const]),
    ...(reviewStatus ? [[words.review, reviewStatus] as const] : []),
    [words.templateCap, number(waba.templateCap)],
    ...(marketingMessages ? [[words.marketing, marketingMessages] as const] : []),
    ...(catalogIds?.length ? [[words.catalogs, catalogIds.join(' ')] as const] : []),
    ...restrictions.map(
      ({ type, expiresAt }): Fact => [type, expiresAt ? words.ends(time(expiresAt)) : words.restricted],
    ),
  ];
  return (
    <Panel title={words.facts}>
      <Facts facts={facts} />
    </Panel>
  );
}

function Senders({ waba: { senders } }: { waba: Waba }) {
  const words = useResourceWords().senders;
  const { can } = useWorkspace();
  return (
    <Panel title={words.title}>
      {senders.length === 0 ? (
        <p className="text-quiet">{words.none}</p>
      ) : (
        <Table columns={[words.number, words.name, words.status, words.quality]}>
          {senders.map(({ sid, phoneNumber, displayName, status, quality }) => (
            <Row key={sid}>
              <Cell>{can('getSender') ? <SenderLink sid={sid} label={phoneNumber} /> : phoneNumber}</Cell>
              <Cell className="wrap-anywhere">{displayName}</Cell>
              <Cell>
                <SenderStatus status={status} />
              </Cell>
              <Cell>
                <Quality quality={quality} />
              </Cell>
            </Row>
          ))}
        </Table>
      )}
    </Panel>
  );
}
