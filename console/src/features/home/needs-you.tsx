// What waits for somebody, as far as they may see it.
import type { List, Pages } from '@godwit/sdk';
import { useQueries } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { OperationId } from '../../api/can.ts';
import { useWorkspace, type Workspace } from '../../shell/workspace.tsx';
import { Panel } from '../../ui/panel.tsx';
import { ProblemPanel } from '../../ui/problem.tsx';
import { Waiting } from '../../ui/waiting.tsx';
import type { Words } from '../../words/en.ts';
import { useFormats, useWords } from '../../words/words.tsx';

type Found = { count: number; hasMore: boolean };
type Need = {
  name: 'approvals' | 'suspendedWebhooks' | 'failedOperations' | 'unread';
  operation: OperationId;
  find(api: Workspace['api']): Promise<Found>;
};

const dayMs = 86_400_000;

/** Counts a first page: nobody who has more than that needs the exact number. */
async function counted<Item>(
  pages: Pages<Item, List<Item>>,
  isMeant: (item: Item) => boolean = () => true,
): Promise<Found> {
  const { data, hasMore } = await pages;
  return { count: data.filter(isMeant).length, hasMore };
}

const needs: readonly Need[] = [
  {
    name: 'approvals',
    operation: 'listApprovals',
    find: (api) => counted(api.approvals.list({ state: 'PENDING', limit: 50 })),
  },
  {
    name: 'suspendedWebhooks',
    operation: 'listWebhooks',
    find: (api) => counted(api.webhooks.list({ limit: 50 }), ({ status }) => status === 'suspended'),
  },
  {
    name: 'failedOperations',
    operation: 'listOperations',
    find: (api) =>
      counted(
        api.operations.list({ state: 'FAILED', sort: '-createdAt', limit: 50 }),
        ({ updatedAt }) => Date.now() - new Date(updatedAt).getTime() < dayMs,
      ),
  },
  {
    name: 'unread',
    operation: 'listNotifications',
    find: (api) => counted(api.notifications.list({ unread: true, limit: 50 })),
  },
];

export function NeedsYou() {
  const words = useWords().home;
  const { api, can, key } = useWorkspace();
  const mine = needs.filter(({ operation }) => can(operation));
  const asked = useQueries({
    queries: mine.map(({ name, find }) => ({ queryKey: [...key, 'needs', name], queryFn: () => find(api) })),
  });
  const failed = asked.find(({ error }) => error);
  const waits = mine.flatMap(({ name }, at) => {
    const found = asked[at]?.data;
    return found && found.count > 0 ? [{ name, found }] : [];
  });
  return (
    <Panel title={words.needs}>
      {failed && <ProblemPanel error={failed.error} retry={failed.refetch} />}
      {asked.some(({ isPending }) => isPending) ? (
        <Waiting />
      ) : waits.length === 0 ? (
        !failed && <p className="text-quiet">{words.nothingNeeds}</p>
      ) : (
        <ul className="grid gap-1">
          {waits.map(({ name, found }) => (
            <li key={name}>
              <Told words={words} name={name} found={found} />
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}

function Told({ words, name, found }: { words: Words['home']; name: Need['name']; found: Found }) {
  const { here } = useWorkspace();
  const { number } = useFormats();
  const count = number(found.count);
  const told = words[name](found.hasMore ? words.more(count) : count);
  const way = { params: here, className: 'text-accent underline' };
  switch (name) {
    case 'approvals':
      return (
        <Link to="/$environment/$account/approvals" {...way}>
          {told}
        </Link>
      );
    case 'suspendedWebhooks':
      return (
        <Link to="/$environment/$account/webhooks" {...way}>
          {told}
        </Link>
      );
    case 'failedOperations':
      return (
        <Link to="/$environment/$account/operations" search={{ state: 'FAILED' }} {...way}>
          {told}
        </Link>
      );
    case 'unread':
      return told; // listed behind their button, on every page
  }
}
