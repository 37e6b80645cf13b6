// The business accounts at the provider, and how they are connected.
import type { Waba } from '@godwit/sdk';
import { CursorList } from '../../shell/cursor-list.tsx';
import { MakingHead } from '../../shell/making.tsx';
import { useWorkspace } from '../../shell/workspace.tsx';
import { Cell, Row, Table } from '../../ui/table.tsx';
import { useResourceWords } from '../../words/resources/words.ts';
import { useFormats } from '../../words/words.tsx';
import { WabaLink } from '../resources/waba-link.tsx';
import { ConnectWaba } from './connect-waba.tsx';
import { WabaWord } from './status.tsx';

export function WabasPage() {
  const words = useResourceWords().wabas;
  const { api } = useWorkspace();
  return (
    <div className="grid gap-4">
      <MakingHead
        title={words.title}
        make={words.make}
        by="connectWaba"
        form={(close) => <ConnectWaba onDone={close} />}
      />
      <CursorList
        name={['wabas', 'all']}
        load={(page) => api.providerAccounts.listWabas(page)}
        none={words.none}
      >
        {(wabas) => <Wabas wabas={wabas} />}
      </CursorList>
    </div>
  );
}

function Wabas({ wabas }: { wabas: Waba[] }) {
  const words = useResourceWords().wabas;
  const { number } = useFormats();
  return (
    <Table
      columns={[
        words.name,
        words.portfolio,
        words.connection,
        words.token,
        words.subscription,
        words.senders,
      ]}
    >
      {wabas.map(({ sid, name, portfolio, connection, senders }) => (
        <Row key={sid}>
          <Cell className="max-w-72 wrap-anywhere">
            <WabaLink sid={sid} label={name} />
          </Cell>
          <Cell className="max-w-72 wrap-anywhere">{portfolio.name}</Cell>
          <Cell>
            <WabaWord state={connection.state} />
          </Cell>
          <Cell>
            <WabaWord state={connection.token} />
          </Cell>
          <Cell>
            <WabaWord state={connection.subscription} />
          </Cell>
          <Cell className="tabular-nums">{number(senders.length)}</Cell>
        </Row>
      ))}
    </Table>
  );
}
