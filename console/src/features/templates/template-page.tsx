// One template: what the customer would see, how it stands with the provider, and how it came there.
import type { Template } from '@godwit/sdk';
import { useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { Asked } from '../../shell/asked.tsx';
import { DeleteButton } from '../../shell/delete-button.tsx';
import { useAskEveryMs } from '../../shell/live.tsx';
import { useWorkspace } from '../../shell/workspace.tsx';
import { Button } from '../../ui/button.tsx';
import { type Fact, Facts } from '../../ui/facts.tsx';
import { Json } from '../../ui/json.tsx';
import { PageHead } from '../../ui/page-head.tsx';
import { Panel } from '../../ui/panel.tsx';
import { Unfold } from '../../ui/unfold.tsx';
import { useResourceWords } from '../../words/resources/words.ts';
import { useFormats } from '../../words/words.tsx';
import { History } from '../resources/history.tsx';
import { Quality } from '../resources/quality.tsx';
import { Preview } from './preview.tsx';
import { TemplateStatus } from './status.tsx';
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
  const words = useResourceWords().templates;
  const { api } = useWorkspace();
  const [isEditing, setEditing] = useState(false);
  const { sid, name, language, components, updatedAt } = template;
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
      <History
        name={['templates', sid, 'history', updatedAt]}
        load={(page) => api.templates.listStatusHistory(sid, page)}
        status={(status) => <TemplateStatus status={status} />}
        also={words.category}
        alsoOf={({ category }) => words.categories[category as 'UTILITY'] ?? category}
      />
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
        <DeleteButton
          name="templates"
          label={words.remove}
          sure={words.removeSurely}
          busy={isBusy}
          remove={() => api.templates.delete(sid)}
          onGone={() => navigate({ to: '/$environment/$account/templates', params: here })}
        />
      )}
    </div>
  );
}
