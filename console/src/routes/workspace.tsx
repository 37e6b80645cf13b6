// What all addresses of the console stand below, and all those of an account in an environment.
import { createRootRoute, createRoute, Outlet, redirect } from '@tanstack/react-router';
import { isEnvironment } from '../api/environment.ts';
import { signedInto } from '../api/session.ts';
import { Frame } from '../shell/frame.tsx';
import { workspaceOf } from '../shell/workspace.tsx';
import { Sheet } from '../ui/panel.tsx';
import { useWords } from '../words/words.tsx';

const NothingHere = () => (
  <Sheet title={useWords().shell.nothingHere}>
    <a href="/console/">{useWords().shell.home}</a>
  </Sheet>
);

export const root = createRootRoute({ component: Outlet, notFoundComponent: NothingHere });

/** Whoever has not signed in does so first, and comes back. */
export async function signedAt(environment: string, href: string) {
  if (!isEnvironment(environment)) throw redirect({ to: '/' });
  const signed = await signedInto(environment);
  if (!signed) throw redirect({ to: '/sign-in', search: { to: href } });
  return { environment, signed };
}

export const workspace = createRoute({
  getParentRoute: () => root,
  path: '/$environment/$account',
  loader: async ({ params, location }) => {
    const { environment, signed } = await signedAt(params.environment, location.publicHref);
    const found = workspaceOf(environment, params.account, signed);
    if (!found) throw redirect({ to: '/$environment', params: { environment } });
    return found;
  },
  // What somebody may do is asked for once, not at every step from page to page.
  staleTime: Number.POSITIVE_INFINITY,
  component: () => <Frame workspace={workspace.useLoaderData()} />,
});
