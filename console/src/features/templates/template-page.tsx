// One template: what the customer would see, how it stands with the provider, and how it came there.
import type { Template, TemplateStatusChange } from '@godwit/sdk';
import { useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { useAct } from '../../shell/act.ts';
import { Asked } from '../../shell/asked.tsx';
import { CursorList } from '../../shell/cursor-list.tsx';
import { useAskEveryMs } from '../../shell/live.tsx';
import { useWorkspace } from '../../shell/workspace.tsx';
import { Button } from '../../ui/button.tsx';
import { type Fact, Facts } from '../../ui/facts.tsx';
import { Json } from '../../ui/json.tsx';
import { PageHead } from '../../ui/page-head.tsx';
import { Panel } from '../../ui/panel.tsx';
import { ProblemPanel } from '../../ui/problem.tsx';
import { SureButton } from '../../ui/sure-button.tsx';
import { Cell, Row, Table } from '../../ui/table.tsx';
import { Unfold } from '../../ui/unfold.tsx';
import { useResourceWords } from '../../words/resources/words.ts';
import { useFormats } from '../../words/words.tsx';
import { Preview } from './preview.tsx';
import { Quality, TemplateStatus } from './status.tsx';
import { TemplateForm } from './template-form.tsx';

export function TemplatePage() {
  const { template: sid } = useParams({ from: '/$environment/$account/templates/$template' });
  const { api } = useWorkspace();
  const askEveryMs = useAskEveryMs();
  return (
    <Asked
      name={['templates', sid]}
      load={() => api.templates.get(sid)}
      againMs={({ pendingChange }) => pendingChange !== null && askEveryMs}
    >
      {(template) => <One template={template} />}
    </Asked>
  );
}

function One({ template }: { template: Template }) {
  const [isEditing, setEditing] = useState(false);
  const { name, language, components } = template;
  return (
    <div className="grid gap-4">
      <PageHead title={`${name} (${language})`}>
        {!isEditing && <Acts template={template} onEdit={() => setEditing(true)} />}
      </PageHead>
      {isEditing ? (
        <TemplateForm given={template} onCancel={() => setEditing(false)} onDone={() => setEditing(false)} />
      ) : (
        <div className="grid items-start gap-4 lg:grid-cols-2">
          <What template={template} />
          <Preview components={components} />
        </div>
      )}
      <History template={template} />
    </div>
  );
}

function What({ template }: { template: Template }) {
  const words = useResourceWords().templates;
  const { time, number } = useFormats();
  const { rejectedReason, pendingChange, failure, approvedAt, messageSendTtlSeconds: ttl } = template;
  const facts: Fact[] = [
    [words.sid, <code key="sid">{template.sid}</code>],
    [words.status, <TemplateStatus key="status" status={template.status} />],
    ...(rejectedReason ? [[words.rejected, rejectedReason] as const] : []),
    ...(pendingChange
      ? [[words.pending, words.changes[pendingChange as 'EDIT'] ?? pendingChange] as const]
      : []),
    [words.category, words.categories[template.category as 'UTILITY'] ?? template.category],
    [words.quality, <Quality key="quality" quality={template.quality} />],
    [words.waba, <code key="waba">{template.wabaSid}</code>],
    ...(approvedAt ? [[words.approved, time(approvedAt)] as const] : []),
    ...(ttl === null ? [] : [[words.ttl, words.seconds(number(ttl))] as const]),
    [words.changed, time(template.updatedAt)],
  ];
  return (
    <Panel title={words.facts}>
      <Facts facts={facts} />
      {failure && (
        <p className="mt-3 text-bad wrap-anywhere">
          <code>{failure.code}</code> {failure.message}
        </p>
      )}
      <Unfold label={words.parts}>{() => <Json value={template.components} />}</Unfold>
    </Panel>
  );
}

const editable = ['DRAFT', 'APPROVED', 'REJECTED', 'PAUSED'];

function Acts({ template, onEdit }: { template: Template; onEdit(): void }) {
  const words = useResourceWords().templates;
  const { api, can, here } = useWorkspace();
  const { sid, status, pendingChange, deletedAt } = template;
  const navigate = useNavigate();
  const remove = useAct(
    'templates',
    () => api.templates.delete(sid),
    // What is gone cannot be looked at any more.
    () => navigate({ to: '/$environment/$account/templates', params: here }),
  );
  // While the provider is told of a change, nobody knows what it will have.
  const isBusy = pendingChange !== null;
  return (
    <div className="flex flex-wrap items-center gap-2">
      {isBusy && <span className="text-sm text-quiet">{words.busy}</span>}
      {can('updateTemplate') && editable.includes(status) && (
        <Button disabled={isBusy} onClick={onEdit}>
          {words.edit}
        </Button>
      )}
      {can('deleteTemplate') && deletedAt === null && status !== 'PENDING_DELETION' && (
        <SureButton
          label={words.remove}
          sure={words.removeSurely}
          busy={remove.isPending || isBusy}
          onSure={() => remove.mutate()}
        />
      )}
      {remove.error && <ProblemPanel error={remove.error} />}
    </div>
  );
}

function History({ template: { sid, updatedAt } }: { template: Template }) {
  const words = useResourceWords().templates;
  const { api } = useWorkspace();
  return (
    <Panel title={words.history}>
      <CursorList
        name={['templates', sid, 'history', updatedAt]}
        load={(page) => api.templates.listStatusHistory(sid, page)}
        none={words.noHistory}
      >
        {(changes) => <Changes changes={changes} />}
      </CursorList>
    </Panel>
  );
}

function Changes({ changes }: { changes: TemplateStatusChange[] }) {
  const words = useResourceWords().templates;
  const { precise } = useFormats();
  return (
    <Table columns={[words.when, words.status, words.category, words.reason]}>
      {changes.map(({ createdAt, occurredAt, status, category, reason }) => (
        <Row key={`${createdAt} ${status} ${reason}`}>
          <Cell className="whitespace-nowrap">{precise(occurredAt)}</Cell>
          <Cell>
            <TemplateStatus status={status} />
          </Cell>
          <Cell>{words.categories[category as 'UTILITY'] ?? category}</Cell>
          <Cell className="wrap-anywhere">{reason ?? ''}</Cell>
        </Row>
      ))}
    </Table>
  );
}
