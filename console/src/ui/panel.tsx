import { type ReactNode, useId } from 'react';

/** A part of a page under its own heading. */
export function Panel({ title, aside, children }: { title: string; aside?: ReactNode; children: ReactNode }) {
  const id = useId();
  return (
    <section aria-labelledby={id} className="min-w-0 rounded-lg border border-line bg-paper p-4">
      <div className="mb-3 flex flex-wrap items-center justify-between gap-2">
        <h2 id={id} className="wrap-anywhere">
          {title}
        </h2>
        {aside}
      </div>
      {children}
    </section>
  );
}

/** What stands alone in the middle of an otherwise empty window. */
export function Sheet({ title, children }: { title: string; children: ReactNode }) {
  return (
    <main className="mx-auto grid min-h-dvh max-w-md content-center gap-4 p-4">
      <div className="grid gap-4 rounded-lg border border-line bg-paper p-6">
        <h1>{title}</h1>
        {children}
      </div>
    </main>
  );
}
