import { Button } from './button.tsx';

type Props = { submit: string; cancel: string; busy: boolean; onCancel(): void };

/** How a form ends: done, or left. */
export const FormEnd = ({ submit, cancel, busy, onCancel }: Props) => (
  <div className="flex gap-2">
    <Button kind="primary" type="submit" busy={busy}>
      {submit}
    </Button>
    <Button onClick={onCancel}>{cancel}</Button>
  </div>
);
