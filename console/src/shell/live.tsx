// What is shown is read again when something has happened to it, and not before: nobody asks the service just in case.
import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { createContext, type ReactNode, useContext, useEffect, useState } from 'react';
import type { Hint, StreamState } from '../api/live/follow.ts';
import { joinLive } from '../api/live/join.ts';
import { useWords } from '../words/words.tsx';
import { useWorkspace } from './workspace.tsx';

const State = createContext<StreamState>('opening');

/** How often a page asks by itself while nothing is heard; never, while something would be. */
export const useAskEveryMs = (): number | false => (useContext(State) === 'open' ? false : 2_000);

// Of many things that happen at once, a page is read anew once.
const restMs = 1_000;

/** What is kept under a name that shows this kind of resource; some pages show something of everything. */
const ofEverything = ['events', 'needs', 'first-steps', 'preflight'];
const alsoShownBy: Record<string, string[]> = {
  message: ['analytics', 'phones'],
  consent: ['contacts'],
  suppression: ['contacts'],
  webhook_request: ['webhooks'],
  media: ['media'],
};

/** What happens by the thousand and is no news to anybody. */
const noNews = ['message', 'contact', 'consent', 'suppression'];

function namesOf(hint: NonNullable<Hint>): string[] {
  const kind = hint.type.split('.')[0]!;
  const news = noNews.includes(kind) ? [] : ['notices'];
  return [`${kind.replaceAll('_', '-')}s`, ...(alsoShownBy[kind] ?? []), ...news, ...ofEverything];
}

export function Live({ children }: { children: ReactNode }) {
  const { environment, account, can } = useWorkspace();
  const { accountSid } = account;
  const queries = useQueryClient();
  const [state, setState] = useState<StreamState>('opening');
  const mayHear = can('followAccount');
  useEffect(() => {
    if (!mayHear) return setState('refused');
    const refresher = refresh(queries, [environment, accountSid]);
    const leave = joinLive(
      { environment, accountSid },
      {
        onHint: refresher.note,
        onState(now) {
          setState(now);
          // The session may have ended: whatever is asked next finds out.
          if (now === 'refused') refresher.note(null);
        },
      },
    );
    return () => {
      leave();
      refresher.stop();
    };
  }, [queries, environment, accountSid, mayHear]);
  return (
    <State value={state}>
      {state === 'lost' && <Lost />}
      {children}
    </State>
  );
}

function Lost() {
  const words = useWords().shell;
  return (
    <p role="status" data-live="lost" className="border-b border-line bg-paper px-4 py-2 text-warn">
      {words.lost}
    </p>
  );
}

/** Reads anew at once, then once a second at most; a tab nobody looks at waits until somebody does. */
function refresh(queries: QueryClient, key: readonly [string, string]) {
  const noted = new Set<string>();
  let everything = false;
  let timer: ReturnType<typeof setTimeout> | null = null;
  const readAnew = () => {
    timer = null;
    if (document.hidden || (noted.size === 0 && !everything)) return;
    const names = new Set(noted);
    const all = everything;
    noted.clear();
    everything = false;
    timer = setTimeout(readAnew, restMs);
    void queries.invalidateQueries({
      queryKey: key,
      predicate: ({ queryKey }) =>
        // What was made to be used once is not made again.
        queryKey[2] !== 'step-up' && (all || names.has(String(queryKey[2]))),
    });
  };
  const onVisible = () => timer ?? readAnew();
  document.addEventListener('visibilitychange', onVisible);
  return {
    note(hint: Hint): void {
      if (hint) for (const name of namesOf(hint)) noted.add(name);
      else everything = true;
      if (timer === null) readAnew();
    },
    stop(): void {
      if (timer !== null) clearTimeout(timer);
      document.removeEventListener('visibilitychange', onVisible);
    },
  };
}
