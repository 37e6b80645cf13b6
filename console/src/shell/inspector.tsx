// What the page asked of the service, to be asked by a program as well. Opened by `.`.
import { useLocation } from '@tanstack/react-router';
import { useSyncExternalStore } from 'react';
import { asCurl, requests } from '../api/requests.ts';
import { CopyButton } from '../ui/copy-button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Json } from '../ui/json.tsx';
import { Unfold } from '../ui/unfold.tsx';
import { useWords } from '../words/words.tsx';

export function Inspector({ open, onClose }: { open: boolean; onClose(): void }) {
  const words = useWords().inspector;
  return (
    <Dialog title={words.title} open={open} onClose={onClose}>
      <p className="text-sm text-quiet">{words.help}</p>
      <Asked />
    </Dialog>
  );
}

function Asked() {
  const words = useWords().inspector;
  const { publicHref } = useLocation();
  const page = new URL(publicHref, location.origin).pathname;
  const mine = useSyncExternalStore(requests.subscribe, requests.all).filter((one) => one.page === page);
  if (mine.length === 0) return <p>{words.none}</p>;
  return (
    <ol className="grid gap-2">
      {mine.map((one) => (
        <li key={one.id} data-request={`${one.method} ${one.path.split('?')[0]}`}>
          <Unfold label={`${one.method} ${one.path} ${one.status ?? words.unanswered}`}>
            {() => {
              const curl = asCurl(one, location.origin);
              return (
                <>
                  <Json value={curl} />
                  <CopyButton className="mt-2" label={words.copy} text={curl} />
                </>
              );
            }}
          </Unfold>
        </li>
      ))}
    </ol>
  );
}
