// Rows under names of columns. A small window scrolls the table, not the page.
import type { ComponentProps, ReactNode } from 'react';

type Props = { columns: readonly string[]; children: ReactNode };

export const Table = ({ columns, children }: Props) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: whoever has no mouse scrolls it by the arrow keys
  <div className="overflow-x-auto rounded-lg border border-line bg-paper" tabIndex={0}>
    <table className="w-full text-left text-sm">
      <thead className="text-quiet">
        <tr>
          {columns.map((name) => (
            <th key={name} scope="col" className="px-3 py-2 font-medium">
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>{children}</tbody>
    </table>
  </div>
);

export const Row = (row: ComponentProps<'tr'>) => <tr {...row} className="border-t border-line" />;

export const Cell = ({ children, className = '' }: { children: ReactNode; className?: string }) => (
  <td className={`px-3 py-2 ${className}`}>{children}</td>
);
