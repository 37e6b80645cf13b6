// What is behind a page: what it asked of the service, and what it shows as a program sees it. Opened by `.`, and loaded then.
import { lazy, Suspense } from 'react';
import { Dialog } from '../../ui/dialog.tsx';
import { Waiting } from '../../ui/waiting.tsx';
import { useWords } from '../../words/words.tsx';

const Inside = lazy(() => import('./inside.tsx'));

export function Inspector({ open, onClose }: { open: boolean; onClose(): void }) {
  return (
    <Dialog title={useWords().inspector.title} open={open} onClose={onClose}>
      <Suspense fallback={<Waiting />}>
        <Inside />
      </Suspense>
    </Dialog>
  );
}
