import type { ReactNode } from 'react';

/** The name of a page, and what it offers to do. */
export const PageHead = ({ title, children }: { title: string; children?: ReactNode }) => (
  <div className="flex flex-wrap items-center justify-between gap-2">
    <h1 className="wrap-anywhere">{title}</h1>
    {children}
  </div>
);
