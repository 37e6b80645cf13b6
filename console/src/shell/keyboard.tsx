// `g` and a letter lead to a page, `?` says so, `/` and Ctrl/⌘ K open the palette, `.` shows what the page asked. Nothing with Alt, which belongs to
// browsers and screen readers.
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { Dialog } from '../ui/dialog.tsx';
import { useWords } from '../words/words.tsx';
import { Inspector } from './inspector/inspector.tsx';
import { useMyPages } from './my-pages.ts';
import { Palette } from './palette.tsx';
import { useWorkspace } from './workspace.tsx';

// After so long, a letter no longer belongs to the `g` before it.
const togetherMs = 1_500;

type Opened = 'palette' | 'list' | 'inspector' | null;

export function Shortcuts() {
  const [opened, setOpened] = useState<Opened>(null);
  const close = () => setOpened(null);
  useShortcuts(setOpened);
  return (
    <>
      <Palette open={opened === 'palette'} onClose={close} />
      <ShortcutList open={opened === 'list'} onClose={close} />
      <Inspector open={opened === 'inspector'} onClose={close} />
    </>
  );
}

function useShortcuts(open: (what: Opened) => void): void {
  const navigate = useNavigate();
  const { environment, account } = useWorkspace();
  const mine = useMyPages();
  const wentAt = useRef(Number.NEGATIVE_INFINITY);
  useEffect(() => {
    const heard = (event: KeyboardEvent) => {
      if (event.altKey) return;
      const isCommand = event.ctrlKey || event.metaKey;
      if (isCommand ? event.key === 'k' : event.key === '/' && !isTyping(event.target)) {
        event.preventDefault();
        return open('palette');
      }
      if (isCommand || isTyping(event.target)) return;
      if (event.key === '?') return open('list');
      if (event.key === '.') return open('inspector');
      const isFollowing = event.timeStamp - wentAt.current <= togetherMs;
      wentAt.current = event.key === 'g' ? event.timeStamp : Number.NEGATIVE_INFINITY;
      const page = isFollowing && mine.find(({ letter }) => letter === event.key);
      if (page) void navigate({ to: page.path, params: { environment, account: account.accountSid } });
    };
    addEventListener('keydown', heard);
    return () => removeEventListener('keydown', heard);
  }, [open, navigate, environment, account, mine]);
}

function ShortcutList({ open, onClose }: { open: boolean; onClose(): void }) {
  const words = useWords();
  const mine = useMyPages();
  const keys = [
    { keys: ['?'], does: words.shell.shortcutList.help },
    { keys: ['/'], does: words.palette.title },
    { keys: ['Ctrl', 'K'], does: words.palette.title },
    { keys: ['.'], does: words.inspector.title },
    ...mine.map(({ name, letter }) => ({
      keys: ['g', letter],
      does: words.shell.shortcutList.goTo(words.pages[name]),
    })),
  ];
  return (
    <Dialog title={words.shell.shortcuts} open={open} onClose={onClose}>
      <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-1">
        {keys.map(({ keys: pressed, does }) => (
          <div key={pressed.join(' ')} className="contents">
            <dt className="flex gap-1">
              {pressed.map((key) => (
                <kbd key={key} className="rounded border border-line px-1.5 font-mono text-sm">
                  {key}
                </kbd>
              ))}
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}

const isTyping = (target: EventTarget | null) =>
  target instanceof HTMLElement &&
  (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));
