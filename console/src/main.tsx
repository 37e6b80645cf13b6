// The console begins here.
import { GodwitError } from '@godwit/sdk';
import { MutationCache, QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { forgetSessions } from './api/session.ts';
import { router } from './router.tsx';
import { UiProvider } from './ui/provider.tsx';
import './ui/style.css';
import { applyTheme } from './ui/theme.ts';
import { SpeakingProvider } from './words/words.tsx';

/** A session that has ended is noticed by whatever is asked next, and leads back to the sign-in. */
function noticeEnd(error: unknown, meta?: Record<string, unknown>): void {
  // A code that is not the right one is refused in the same words, and ends nothing.
  if (meta?.isProof) return;
  if (!(error instanceof GodwitError) || error.status !== 401) return;
  const { publicHref } = router.state.location;
  if (!/^\/console\/(sandbox|live)\//.test(publicHref)) return;
  forgetSessions();
  queries.clear();
  void router.navigate({ to: '/sign-in', search: { to: publicHref } });
}

const queries = new QueryClient({
  queryCache: new QueryCache({ onError: (error) => noticeEnd(error) }),
  mutationCache: new MutationCache({ onError: (error, _given, _before, { meta }) => noticeEnd(error, meta) }),
  // The SDK tries again by itself where that can help.
  defaultOptions: { queries: { retry: false, staleTime: 10_000 }, mutations: { retry: false } },
});

applyTheme();
createRoot(document.getElementById('root')!).render(
  <StrictMode>
    <SpeakingProvider>
      <UiProvider>
        <QueryClientProvider client={queries}>
          <RouterProvider router={router} />
        </QueryClientProvider>
      </UiProvider>
    </SpeakingProvider>
  </StrictMode>,
);
