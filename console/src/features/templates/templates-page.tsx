// The templates of an account, by status, category and language.
import type { Template } from '@godwit/sdk';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useAct } from '../../shell/act.ts';
import { CursorList } from '../../shell/cursor-list.tsx';
import { useWorkspace } from '../../shell/workspace.tsx';
import { Button, buttonClass } from '../../ui/button.tsx';
import { Field, Filter } from '../../ui/field.tsx';
import { PageHead } from '../../ui/page-head.tsx';
import { ProblemPanel } from '../../ui/problem.tsx';
import { Cell, Row, Table } from '../../ui/table.tsx';
import { useResourceWords } from '../../words/resources/words.ts';
import { useFormats } from '../../words/words.tsx';
import { OperationLink } from '../operations/operation-link.tsx';
import { Quality } from '../resources/quality.tsx';
import { useConnectedWabas } from '../resources/waba-field.tsx';
import { categories, templateStatuses } from './filters.ts';
import { TemplateStatus } from './status.tsx';

const from = '/$environment/$account/templates' as const;

export function TemplatesPage() {
  const words = useResourceWords().templates;
  const { api, can, here } = useWorkspace();
  const { status, category, language } = useSearch({ from });
  return (
    <div className="grid gap-4">
      <PageHead title={words.title}>
        {can('createTemplate') && (
          <Link to="/$environment/$account/templates/new" params={here} className={buttonClass('primary')}>
            {words.make}
          </Link>
        )}
      </PageHead>
      {can('syncTemplates') && <Sync />}
      <Filters />
      <CursorList
        name={['templates', { status, category, language }]}
        load={(page) => api.templates.list({ status, category, language, ...page })}
        none={words.none}
      >
        {(templates) => <Templates templates={templates} />}
      </CursorList>
    </div>
  );
}

/** Reads what every connected business account has at the provider. */
function Sync() {
  const words = useResourceWords().templates;
  const { api } = useWorkspace();
  const wabas = useConnectedWabas();
  const sync = useAct('operations', () =>
    Promise.all(wabas.map(({ sid }) => api.templates.sync({ wabaSid: sid }))),
  );
  return (
    <div className="flex flex-wrap items-center gap-3">
      <Button disabled={wabas.length === 0} busy={sync.isPending} onClick={() => sync.mutate()}>
        {words.sync}
      </Button>
      {sync.data?.map(({ sid }) => (
        <span key={sid} role="status">
          <OperationLink sid={sid} label={words.syncing} />
        </span>
      ))}
      {sync.error && <ProblemPanel error={sync.error} />}
    </div>
  );
}

function Filters() {
  const words = useResourceWords().templates;
  const search = useSearch({ from });
  const navigate = useNavigate({ from });
  return (
    <div className="grid max-w-3xl gap-3 sm:grid-cols-3">
      <Filter
        label={words.status}
        value={search.status}
        all={templateStatuses}
        names={words.statuses}
        onChange={(status) => navigate({ search: (before) => ({ ...before, status }) })}
      />
      <Filter
        label={words.category}
        value={search.category}
        all={categories}
        names={words.categories}
        onChange={(category) => navigate({ search: (before) => ({ ...before, category }) })}
      />
      <Field
        label={words.language}
        defaultValue={search.language ?? ''}
        onBlur={({ target }) =>
          navigate({ search: (before) => ({ ...before, language: target.value.trim() || undefined }) })
        }
        onKeyDown={({ key: pressed, currentTarget }) => pressed === 'Enter' && currentTarget.blur()}
      />
    </div>
  );
}

function Templates({ templates }: { templates: Template[] }) {
  const words = useResourceWords().templates;
  const { time } = useFormats();
  const { here } = useWorkspace();
  return (
    <Table columns={[words.name, words.language, words.category, words.status, words.quality, words.changed]}>
      {templates.map(({ sid, name, language, category, status, quality, updatedAt }) => (
        <Row key={sid}>
          <Cell className="wrap-anywhere">
            <Link
              to="/$environment/$account/templates/$template"
              params={{ ...here, template: sid }}
              className="text-accent underline"
            >
              {name}
            </Link>
          </Cell>
          <Cell>{language}</Cell>
          <Cell>{words.categories[category as keyof typeof words.categories] ?? category}</Cell>
          <Cell>
            <TemplateStatus status={status} />
          </Cell>
          <Cell>
            <Quality quality={quality} />
          </Cell>
          <Cell className="whitespace-nowrap">{time(updatedAt)}</Cell>
        </Row>
      ))}
    </Table>
  );
}
