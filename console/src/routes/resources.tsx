// The addresses of what an account has at the provider and of what its messages carry.
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { templateSearchIn } from '../features/templates/filters.ts';
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

export const resourceRoutes = [templates, newTemplate, oneTemplate] as const;
