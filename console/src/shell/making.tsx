// The head of a page on which something can be made, and the form while somebody makes it.
import { type ReactNode, useState } from 'react';
import type { OperationId } from '../api/can.ts';
import { Button } from '../ui/button.tsx';
import { PageHead } from '../ui/page-head.tsx';
import { useWorkspace } from './workspace.tsx';

type Props = {
  title: string;
  /** What the button says, for whoever may call the operation. */
  make: string;
  by: OperationId;
  form(close: () => void): ReactNode;
  /** What else the page offers to do. */
  children?: ReactNode;
};

export function MakingHead({ title, make, by, form, children }: Props) {
  const { can } = useWorkspace();
  const [isMaking, setMaking] = useState(false);
  return (
    <>
      <PageHead title={title}>
        <div className="flex flex-wrap gap-2">
          {children}
          {can(by) && !isMaking && (
            <Button kind="primary" onClick={() => setMaking(true)}>
              {make}
            </Button>
          )}
        </div>
      </PageHead>
      {isMaking && form(() => setMaking(false))}
    </>
  );
}
