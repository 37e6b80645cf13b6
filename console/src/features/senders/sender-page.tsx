// One sender: how it is, what it needs, what people see behind its number, and how it came there.
import type { Sender, Waba } from '@godwit/sdk';
import { useParams } from '@tanstack/react-router';
import { useAct } from '../../shell/act.ts';
import { Asked } from '../../shell/asked.tsx';
import { useWorkspace } from '../../shell/workspace.tsx';
import { Button } from '../../ui/button.tsx';
import { type Fact, Facts } from '../../ui/facts.tsx';
import { PageHead } from '../../ui/page-head.tsx';
import { Panel } from '../../ui/panel.tsx';
import { ProblemPanel } from '../../ui/problem.tsx';
import { useResourceWords } from '../../words/resources/words.ts';
import { useFormats } from '../../words/words.tsx';
import { History } from '../resources/history.tsx';
import { Quality } from '../resources/quality.tsx';
import { SenderStatus } from '../resources/sender-status.tsx';
import { WabaLink } from '../resources/waba-link.tsx';
import { needsOf } from './needs.ts';
import { Profile } from './profile.tsx';

export function SenderPage() {
  const { sender: sid } = useParams({ from: '/$environment/$account/senders/$sender' });
  const words = useResourceWords().senders;
  const { api, can } = useWorkspace();
  const load = async () => {
    const sender = await api.senders.get(sid);
    const { wabaSid } = sender;
    return { sender, waba: wabaSid && can('getWaba') ? await api.providerAccounts.getWaba(wabaSid) : null };
  };
  return (
    <Asked name={['senders', sid]} load={load}>
      {({ sender, waba }) => (
        <div className="grid gap-4">
          <PageHead title={`${sender.displayName} ${sender.phoneNumber}`}>
            {can('refreshSender') && <Refresh sid={sid} />}
          </PageHead>
          <div className="grid items-start gap-4 lg:grid-cols-2">
            <What sender={sender} waba={waba} />
            <div className="grid min-w-0 gap-4">
              <Needs sender={sender} waba={waba} />
              <Profile sid={sid} />
            </div>
          </div>
          <History
            name={['senders', sid, 'history', sender.updatedAt]}
            load={(page) => api.senders.listStatusHistory(sid, page)}
            status={(status) => <SenderStatus status={status} />}
            also={words.quality}
            alsoOf={({ quality }) => <Quality quality={quality} />}
          />
        </div>
      )}
    </Asked>
  );
}

function Refresh({ sid }: { sid: string }) {
  const words = useResourceWords().senders;
  const { api } = useWorkspace();
  const refresh = useAct('senders', () => api.senders.refresh(sid));
  return (
    <div className="grid gap-2">
      <Button busy={refresh.isPending} onClick={() => refresh.mutate()}>
        {words.refresh}
      </Button>
      {refresh.error && <ProblemPanel error={refresh.error} />}
    </div>
  );
}

function What({ sender, waba }: { sender: Sender; waba: Waba | null }) {
  const words = useResourceWords().senders;
  const { number, time } = useFormats();
  const { throughput, pairRate, nameStatus, verificationStatus, flowKey, restrictions } = sender;
  const told = (name: string, value: string | null): Fact[] => (value ? [[name, value]] : []);
  const facts: Fact[] = [
    [words.sid, <code key="sid">{sender.sid}</code>],
    [words.status, <SenderStatus key="status" status={sender.status} />],
    [words.ready, sender.ready ? words.yes : words.no],
    [words.quality, <Quality key="quality" quality={sender.quality} />],
    ...told(words.nameStatus, nameStatus),
    ...told(words.verification, verificationStatus),
    ...told(words.flowKey, flowKey),
    [words.throughput, `${words.perSecond(number(throughput.messagesPerSecond))} (${throughput.level})`],
    [words.pairRate, words.pair(number(pairRate.secondsPerMessage), number(pairRate.burst))],
    [words.businessApp, sender.onBusinessApp ? words.yes : words.no],
    ...(sender.wabaSid
      ? [
          [
            words.waba,
            <WabaLink key="waba" sid={sender.wabaSid} label={waba?.name ?? sender.wabaSid} />,
          ] as const,
        ]
      : []),
    ...restrictions.map(
      ({ type, expiresAt }): Fact => [type, expiresAt ? words.until(time(expiresAt)) : words.restricted],
    ),
  ];
  return (
    <Panel title={words.facts}>
      <Facts facts={facts} />
    </Panel>
  );
}

function Needs({ sender, waba }: { sender: Sender; waba: Waba | null }) {
  const words = useResourceWords().senders;
  const needs = needsOf(sender, waba);
  return (
    <Panel title={words.needs}>
      {needs.length === 0 ? (
        <p className="text-good">{words.needsNothing}</p>
      ) : (
        <ul className="grid gap-1">
          {needs.map((need) => (
            <li key={need} data-need={need} className="text-warn">
              {words.needed[need]}
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}
