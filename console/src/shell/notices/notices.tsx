// What somebody should know of: how much of it is unread, and all of it when they ask.
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Waiting } from '../../ui/waiting.tsx';
import { useFormats, useWords } from '../../words/words.tsx';
import { useWorkspace } from '../workspace.tsx';

const NoticeList = lazy(() => import('./notice-list.tsx'));

// Nobody who has more unread needs the exact number.
const countedUpTo = 50;

export function Notices() {
  const { can } = useWorkspace();
  return can('listNotifications') ? <Bell /> : null;
}

function Bell() {
  const words = useWords().notices;
  const { number } = useFormats();
  const { api, key } = useWorkspace();
  const [isOpen, setOpen] = useState(false);
  const { data } = useQuery({
    queryKey: [...key, 'notices', 'unread'],
    queryFn: async () => await api.notifications.list({ unread: true, limit: countedUpTo }),
  });
  const count = data?.data.length ?? 0;
  const shown = `${number(count)}${data?.hasMore ? '+' : ''}`;
  return (
    <>
      <Button aria-haspopup="dialog" data-unread={data && count} onClick={() => setOpen(true)}>
        {count > 0 ? words.unread(shown) : words.title}
      </Button>
      <Dialog title={words.title} open={isOpen} onClose={() => setOpen(false)}>
        <Suspense fallback={<Waiting />}>
          <NoticeList unread={count} onLeave={() => setOpen(false)} />
        </Suspense>
      </Dialog>
    </>
  );
}
