import { useNavigate } from '@tanstack/react-router';
import { useWorkspace } from '../../shell/workspace.tsx';
import { PageHead } from '../../ui/page-head.tsx';
import { useResourceWords } from '../../words/resources/words.ts';
import { TemplateForm } from './template-form.tsx';

export function NewTemplatePage() {
  const { here } = useWorkspace();
  const navigate = useNavigate();
  return (
    <div className="grid gap-4">
      <PageHead title={useResourceWords().templates.make} />
      <TemplateForm
        onCancel={() => navigate({ to: '/$environment/$account/templates', params: here })}
        onDone={({ sid }) =>
          navigate({
            to: '/$environment/$account/templates/$template',
            params: { ...here, template: sid },
          })
        }
      />
    </div>
  );
}
