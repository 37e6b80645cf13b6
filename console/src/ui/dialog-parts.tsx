import { Dialog as Base } from '@base-ui/react/dialog';
import type { ReactNode } from 'react';
import { useWords } from '../words/words.tsx';
import { buttonClass } from './button.tsx';

export type DialogProps = { title: string; open: boolean; onClose(): void; children: ReactNode };

export default function DialogParts({ title, open, onClose, children }: DialogProps) {
  const { close } = useWords().shell;
  return (
    <Base.Root open={open} onOpenChange={(isOpen) => !isOpen && onClose()}>
      <Base.Portal>
        <Base.Backdrop className="fixed inset-0 bg-veil" />
        <Base.Popup className="fixed top-[12vh] left-1/2 grid max-h-[76vh] w-[min(34rem,94vw)] -translate-x-1/2 gap-3 overflow-auto rounded-lg border border-line bg-paper p-4">
          <Base.Title className="text-base font-semibold">{title}</Base.Title>
          {children}
          <Base.Close className={`${buttonClass()} justify-self-end`}>{close}</Base.Close>
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}
