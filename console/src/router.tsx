// Every address of the console. The environment and the account stand in it, so that it says whose data is shown.
import { createRoute, createRouter, lazyRouteComponent, redirect } from '@tanstack/react-router';
import { environments } from './api/environment.ts';
import { signedInto } from './api/session.ts';
import { searchIn } from './features/messages/filters.ts';
import { operationSearchIn } from './features/operations/filters.ts';
import { resourceRoutes } from './routes/resources.tsx';
import { root, signedAt, workspace } from './routes/workspace.tsx';
import { NoAccount } from './shell/no-account.tsx';
import { InvitationPage, PasswordResetPage } from './shell/sign-in/from-mail.tsx';
import { SignInPage } from './shell/sign-in/sign-in-page.tsx';
import { Sheet } from './ui/panel.tsx';
import { ProblemPanel } from './ui/problem.tsx';
import { useWords } from './words/words.tsx';

function Failed({ error, reset }: { error: unknown; reset(): void }) {
  return (
    <Sheet title={useWords().product}>
      <ProblemPanel error={error} retry={reset} />
    </Sheet>
  );
}

/** Into the first environment that somebody has signed in to. */
async function enter(to: '/$environment/$account' | '/$environment/$account/security', from?: string) {
  for (const environment of environments) {
    const signed = await signedInto(environment);
    if (!signed) continue;
    const [first] = signed.me.accounts ?? [];
    if (!first) throw redirect({ to: '/$environment', params: { environment } });
    throw redirect({ to, params: { environment, account: first.accountSid } });
  }
  throw redirect({ to: '/sign-in', search: { to: from } });
}

const start = createRoute({
  getParentRoute: () => root,
  path: '/',
  loader: () => enter('/$environment/$account'),
});

/** For links that know neither environment nor account. */
const ownAccount = createRoute({
  getParentRoute: () => root,
  path: '/account',
  loader: ({ location }) => enter('/$environment/$account/security', location.publicHref),
});

type SignInSearch = {
  /** Where somebody wanted to go. */
  to?: string;
  /** The key of an identity provider, and the account it belongs to. */
  provider?: string;
  account?: string;
  told?: 'welcome' | 'reset';
};

const text = (value: unknown) => (typeof value === 'string' ? value : undefined);

/** What somebody wrote; all digits would come back from the address as a number. */
const written = (value: unknown) => (typeof value === 'number' ? String(value) : text(value));

/** Only an address of the console itself: a link must not lead elsewhere by way of a sign-in. */
const ownPath = (value: unknown) => {
  const path = text(value);
  return path && /^\/console\/[^\\]*$/.test(path) ? path : undefined;
};

const signInRoute = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  validateSearch: (search: Record<string, unknown>): SignInSearch => {
    const told = text(search.told);
    return {
      to: ownPath(search.to),
      provider: text(search.provider),
      account: text(search.account),
      told: told === 'welcome' || told === 'reset' ? told : undefined,
    };
  },
  component: SignInPage,
});

const invitation = createRoute({
  getParentRoute: () => root,
  path: '/invitation',
  component: InvitationPage,
});
const reset = createRoute({
  getParentRoute: () => root,
  path: '/password-reset',
  component: PasswordResetPage,
});

const withoutAccount = createRoute({
  getParentRoute: () => root,
  path: '/$environment',
  loader: ({ params, location }) => signedAt(params.environment, location.publicHref),
  component: () => <NoAccount {...withoutAccount.useLoaderData()} />,
});

const home = createRoute({
  getParentRoute: () => workspace,
  path: '/',
  component: lazyRouteComponent(() => import('./features/home/home-page.tsx'), 'HomePage'),
});

const security = createRoute({
  getParentRoute: () => workspace,
  path: '/security',
  component: lazyRouteComponent(() => import('./features/identity/own-page.tsx'), 'OwnPage'),
});

const messages = createRoute({
  getParentRoute: () => workspace,
  path: '/messages',
  validateSearch: searchIn,
  component: lazyRouteComponent(() => import('./features/messages/messages-page.tsx'), 'MessagesPage'),
});
const newMessage = createRoute({
  getParentRoute: () => workspace,
  path: '/messages/new',
  validateSearch: (search: Record<string, unknown>): { to?: string } => ({ to: written(search.to) }),
  component: lazyRouteComponent(
    () => import('./features/messages/composer/composer-page.tsx'),
    'ComposerPage',
  ),
});
const oneMessage = createRoute({
  getParentRoute: () => workspace,
  path: '/messages/$message',
  component: lazyRouteComponent(() => import('./features/messages/message-page.tsx'), 'MessagePage'),
});

const keys = createRoute({
  getParentRoute: () => workspace,
  path: '/keys',
  component: lazyRouteComponent(() => import('./features/api-keys/keys-page.tsx'), 'KeysPage'),
});

const contacts = createRoute({
  getParentRoute: () => workspace,
  path: '/contacts',
  validateSearch: (search: Record<string, unknown>): { q?: string } => ({ q: written(search.q) }),
  component: lazyRouteComponent(() => import('./features/contacts/contacts-page.tsx'), 'ContactsPage'),
});
const oneContact = createRoute({
  getParentRoute: () => workspace,
  path: '/contacts/$contact',
  component: lazyRouteComponent(() => import('./features/contacts/contact-page.tsx'), 'ContactPage'),
});

const mergeContact = createRoute({
  getParentRoute: () => workspace,
  path: '/contacts/$contact/merge',
  validateSearch: (search: Record<string, unknown>): { with?: string } => ({ with: text(search.with) }),
  component: lazyRouteComponent(() => import('./features/contacts/merges/merge-page.tsx'), 'MergePage'),
});
const merges = createRoute({
  getParentRoute: () => workspace,
  path: '/merges',
  component: lazyRouteComponent(() => import('./features/contacts/merges/merges-page.tsx'), 'MergesPage'),
});
const oneMerge = createRoute({
  getParentRoute: () => workspace,
  path: '/merges/$merge',
  component: lazyRouteComponent(
    () => import('./features/contacts/merges/merge-record-page.tsx'),
    'MergeRecordPage',
  ),
});

const contactFiles = createRoute({
  getParentRoute: () => workspace,
  path: '/contact-files',
  component: lazyRouteComponent(
    () => import('./features/contact-files/contact-files-page.tsx'),
    'ContactFilesPage',
  ),
});
const proofs = createRoute({
  getParentRoute: () => workspace,
  path: '/proofs',
  component: lazyRouteComponent(() => import('./features/contacts/proof/proof-page.tsx'), 'ProofPage'),
});

const segments = createRoute({
  getParentRoute: () => workspace,
  path: '/segments',
  component: lazyRouteComponent(() => import('./features/segments/segments-page.tsx'), 'SegmentsPage'),
});
const oneSegment = createRoute({
  getParentRoute: () => workspace,
  path: '/segments/$segment',
  component: lazyRouteComponent(() => import('./features/segments/segment-page.tsx'), 'SegmentPage'),
});
const whyNot = createRoute({
  getParentRoute: () => workspace,
  path: '/segments/$segment/why-not',
  component: lazyRouteComponent(() => import('./features/segments/why-not/why-not-page.tsx'), 'WhyNotPage'),
});

const webhooks = createRoute({
  getParentRoute: () => workspace,
  path: '/webhooks',
  component: lazyRouteComponent(() => import('./features/webhooks/webhooks-page.tsx'), 'WebhooksPage'),
});
const oneEndpoint = createRoute({
  getParentRoute: () => workspace,
  path: '/webhooks/$endpoint',
  component: lazyRouteComponent(() => import('./features/webhooks/endpoint-page.tsx'), 'EndpointPage'),
});

const events = createRoute({
  getParentRoute: () => workspace,
  path: '/events',
  validateSearch: (search: Record<string, unknown>): { type?: string; resource?: string } => ({
    type: text(search.type),
    resource: text(search.resource),
  }),
  component: lazyRouteComponent(() => import('./features/events/events-page.tsx'), 'EventsPage'),
});

const operations = createRoute({
  getParentRoute: () => workspace,
  path: '/operations',
  validateSearch: operationSearchIn,
  component: lazyRouteComponent(() => import('./features/operations/operations-page.tsx'), 'OperationsPage'),
});
const oneOperation = createRoute({
  getParentRoute: () => workspace,
  path: '/operations/$operation',
  component: lazyRouteComponent(() => import('./features/operations/operation-page.tsx'), 'OperationPage'),
});

const approvals = createRoute({
  getParentRoute: () => workspace,
  path: '/approvals',
  component: lazyRouteComponent(() => import('./features/approvals/approvals-page.tsx'), 'ApprovalsPage'),
});
const oneApproval = createRoute({
  getParentRoute: () => workspace,
  path: '/approvals/$approval',
  component: lazyRouteComponent(() => import('./features/approvals/approval-page.tsx'), 'ApprovalPage'),
});

export const router = createRouter({
  routeTree: root.addChildren([
    start,
    ownAccount,
    signInRoute,
    invitation,
    reset,
    withoutAccount,
    workspace.addChildren([
      home,
      security,
      messages,
      newMessage,
      oneMessage,
      contacts,
      oneContact,
      mergeContact,
      merges,
      oneMerge,
      contactFiles,
      proofs,
      segments,
      oneSegment,
      whyNot,
      webhooks,
      oneEndpoint,
      events,
      keys,
      operations,
      oneOperation,
      approvals,
      oneApproval,
      ...resourceRoutes,
    ]),
  ]),
  basepath: '/console',
  defaultErrorComponent: Failed,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
