// Something that is made only when somebody wants to see it.
import { type ReactNode, useState } from 'react';

export function Unfold({ label, children }: { label: string; children(): ReactNode }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary className="cursor-pointer text-accent underline in-[td]:whitespace-nowrap">{label}</summary>
      {isOpen && children()}
    </details>
  );
}
