// A new password for oneself. It ends every session but this one.
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { issueAt } from '../../api/problem.ts';
import { forgetSessions } from '../../api/session.ts';
import { useWorkspace } from '../../shell/workspace.tsx';
import { Button } from '../../ui/button.tsx';
import { Field } from '../../ui/field.tsx';
import { Panel } from '../../ui/panel.tsx';
import { ProblemPanel } from '../../ui/problem.tsx';
import { useWords } from '../../words/words.tsx';

const fields = ['currentPassword', 'newPassword'] as const;

export function Password() {
  const words = useWords().own;
  const { api, key } = useWorkspace();
  const queries = useQueryClient();
  // What was typed goes with the form.
  const [done, setDone] = useState(0);
  const change = useMutation({
    mutationFn: (given: FormData) => {
      const [currentPassword, newPassword] = fields.map((name) => String(given.get(name)));
      return api.signIn.changePassword({ currentPassword: currentPassword!, newPassword: newPassword! });
    },
    onSuccess() {
      // The session of the other environment has ended with the rest.
      forgetSessions();
      setDone((times) => times + 1);
      void queries.invalidateQueries({ queryKey: [...key, 'sessions'] });
    },
    gcTime: 0,
  });
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    change.mutate(new FormData(event.currentTarget));
  };
  const labels = { currentPassword: words.currentPassword, newPassword: words.newPassword };
  const completes = { currentPassword: 'current-password', newPassword: 'new-password' };
  return (
    <Panel title={words.password}>
      <form key={done} className="grid max-w-md gap-3" onSubmit={submit}>
        {fields.map((name) => (
          <Field
            key={name}
            label={labels[name]}
            name={name}
            type="password"
            autoComplete={completes[name]}
            issue={issueAt(change.error, name)}
            required
          />
        ))}
        {change.error && <ProblemPanel error={change.error} fields={fields} />}
        {change.isSuccess && <p role="status">{words.passwordChanged}</p>}
        <Button type="submit" className="justify-self-start" busy={change.isPending}>
          {words.changePassword}
        </Button>
      </form>
    </Panel>
  );
}
