// A dialog, loaded when the first one opens: most visits open none.
import { lazy, Suspense, useState } from 'react';
import type { DialogProps } from './dialog-parts.tsx';

const Parts = lazy(() => import('./dialog-parts.tsx'));

export function Dialog(props: DialogProps) {
  const [wasOpen, setWasOpen] = useState(false);
  if (props.open && !wasOpen) setWasOpen(true);
  return wasOpen ? (
    <Suspense>
      <Parts {...props} />
    </Suspense>
  ) : null;
}
