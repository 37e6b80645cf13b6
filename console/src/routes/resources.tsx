// The addresses of what an account has at the provider and of what its messages carry.
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { senderSearchIn } from '../features/senders/filters.ts';
import { templateSearchIn } from '../features/templates/filters.ts';
import { flowSearchIn } from '../features/templates/flows/filters.ts';
import { workspace } from './workspace.tsx';

const templates = createRoute({
  getParentRoute: () => workspace,
  path: '/templates',
  validateSearch: templateSearchIn,
  component: lazyRouteComponent(() => import('../features/templates/templates-page.tsx'), 'TemplatesPage'),
});
const newTemplate = createRoute({
  getParentRoute: () => workspace,
  path: '/templates/new',
  component: lazyRouteComponent(
    () => import('../features/templates/new-template-page.tsx'),
    'NewTemplatePage',
  ),
});
const oneTemplate = createRoute({
  getParentRoute: () => workspace,
  path: '/templates/$template',
  component: lazyRouteComponent(() => import('../features/templates/template-page.tsx'), 'TemplatePage'),
});

const senders = createRoute({
  getParentRoute: () => workspace,
  path: '/senders',
  validateSearch: senderSearchIn,
  component: lazyRouteComponent(() => import('../features/senders/senders-page.tsx'), 'SendersPage'),
});
const oneSender = createRoute({
  getParentRoute: () => workspace,
  path: '/senders/$sender',
  component: lazyRouteComponent(() => import('../features/senders/sender-page.tsx'), 'SenderPage'),
});

const pools = createRoute({
  getParentRoute: () => workspace,
  path: '/pools',
  component: lazyRouteComponent(() => import('../features/sender-pools/pools-page.tsx'), 'PoolsPage'),
});
const onePool = createRoute({
  getParentRoute: () => workspace,
  path: '/pools/$pool',
  component: lazyRouteComponent(() => import('../features/sender-pools/pool-page.tsx'), 'PoolPage'),
});

const wabas = createRoute({
  getParentRoute: () => workspace,
  path: '/wabas',
  component: lazyRouteComponent(() => import('../features/wabas/wabas-page.tsx'), 'WabasPage'),
});
const oneWaba = createRoute({
  getParentRoute: () => workspace,
  path: '/wabas/$waba',
  component: lazyRouteComponent(() => import('../features/wabas/waba-page.tsx'), 'WabaPage'),
});

const portfolios = createRoute({
  getParentRoute: () => workspace,
  path: '/portfolios',
  component: lazyRouteComponent(() => import('../features/wabas/portfolios-page.tsx'), 'PortfoliosPage'),
});

const media = createRoute({
  getParentRoute: () => workspace,
  path: '/media',
  component: lazyRouteComponent(() => import('../features/media/media-page.tsx'), 'MediaPage'),
});
const oneMedia = createRoute({
  getParentRoute: () => workspace,
  path: '/media/$media',
  component: lazyRouteComponent(() => import('../features/media/one-media-page.tsx'), 'OneMediaPage'),
});

const contents = createRoute({
  getParentRoute: () => workspace,
  path: '/contents',
  component: lazyRouteComponent(
    () => import('../features/templates/contents/contents-page.tsx'),
    'ContentsPage',
  ),
});
const oneContent = createRoute({
  getParentRoute: () => workspace,
  path: '/contents/$content',
  component: lazyRouteComponent(
    () => import('../features/templates/contents/content-page.tsx'),
    'ContentPage',
  ),
});

const flows = createRoute({
  getParentRoute: () => workspace,
  path: '/flows',
  validateSearch: flowSearchIn,
  component: lazyRouteComponent(() => import('../features/templates/flows/flows-page.tsx'), 'FlowsPage'),
});
const oneFlow = createRoute({
  getParentRoute: () => workspace,
  path: '/flows/$flow',
  component: lazyRouteComponent(() => import('../features/templates/flows/flow-page.tsx'), 'FlowPage'),
});

export const resourceRoutes = [
  templates,
  newTemplate,
  oneTemplate,
  senders,
  oneSender,
  pools,
  onePool,
  wabas,
  oneWaba,
  portfolios,
  media,
  oneMedia,
  contents,
  oneContent,
  flows,
  oneFlow,
] as const;
