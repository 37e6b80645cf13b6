import { CSPProvider } from '@base-ui/react/csp-provider';
import type { ReactNode } from 'react';

/** Our policy allows no style element, so the parts must make none. */
export const UiProvider = ({ children }: { children: ReactNode }) => (
  <CSPProvider disableStyleElements>{children}</CSPProvider>
);
