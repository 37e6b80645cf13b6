// Contents that are kept to be used again.
import type { Content } from '@godwit/sdk';
import { Link, useNavigate } from '@tanstack/react-router';
import { CursorList } from '../../../shell/cursor-list.tsx';
import { MakingHead } from '../../../shell/making.tsx';
import { useWorkspace } from '../../../shell/workspace.tsx';
import { Cell, Row, Table } from '../../../ui/table.tsx';
import { useResourceWords } from '../../../words/resources/words.ts';
import { useFormats } from '../../../words/words.tsx';
import { ContentForm } from './content-form.tsx';

export function ContentsPage() {
  const words = useResourceWords().contents;
  const { api, here } = useWorkspace();
  const navigate = useNavigate();
  const show = ({ sid }: Content) =>
    navigate({ to: '/$environment/$account/contents/$content', params: { ...here, content: sid } });
  return (
    <div className="grid gap-4">
      <MakingHead
        title={words.title}
        make={words.make}
        by="createContent"
        form={(close) => <ContentForm onDone={show} onCancel={close} />}
      />
      <CursorList
        name={['contents', 'all']}
        load={(page) => api.reusableContents.list(page)}
        none={words.none}
      >
        {(contents) => <Contents contents={contents} />}
      </CursorList>
    </div>
  );
}

function Contents({ contents }: { contents: Content[] }) {
  const words = useResourceWords().contents;
  const { time, number } = useFormats();
  const { here } = useWorkspace();
  return (
    <Table columns={[words.name, words.type, words.blanks, words.version, words.changed]}>
      {contents.map(({ sid, name, type, variables, version, updatedAt }) => (
        <Row key={sid}>
          <Cell className="max-w-72 wrap-anywhere">
            <Link
              to="/$environment/$account/contents/$content"
              params={{ ...here, content: sid }}
              className="text-accent underline"
            >
              {name}
            </Link>
          </Cell>
          <Cell>{type}</Cell>
          <Cell className="wrap-anywhere">{variables.join(', ')}</Cell>
          <Cell className="tabular-nums">{number(version)}</Cell>
          <Cell className="whitespace-nowrap">{time(updatedAt)}</Cell>
        </Row>
      ))}
    </Table>
  );
}
