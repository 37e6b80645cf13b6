// For what cannot be taken back: the first press asks, the second does it.
import { useState } from 'react';
import { Button } from './button.tsx';

type Props = { label: string; sure: string; busy: boolean; onSure(): void };

export function SureButton({ label, sure, busy, onSure }: Props) {
  const [isAsked, setAsked] = useState(false);
  if (!isAsked)
    return (
      <Button busy={busy} onClick={() => setAsked(true)}>
        {label}
      </Button>
    );
  return (
    <Button
      busy={busy}
      className="text-bad"
      autoFocus
      onBlur={() => setAsked(false)}
      onClick={() => {
        setAsked(false);
        onSure();
      }}
    >
      {sure}
    </Button>
  );
}
