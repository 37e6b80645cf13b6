// Rows under names of columns. A small window scrolls the table, not the page; so does a list of any length, of which only what is seen is drawn.
import { type ComponentProps, type ReactNode, useContext } from 'react';
import { InList, InPlace } from './rows/in-list.ts';
import { LongTable } from './rows/long-table.tsx';

type Props = {
  columns: readonly string[];
  children: ReactNode;
  /** For rows that keep nothing of their own, and are not drawn again unless what they show is another: one that goes out of sight becomes one that comes. */
  reuseRows?: boolean;
};

export function Table(given: Props) {
  const part = useContext(InList);
  return part ? <LongTable {...given} part={part} /> : <ShortTable {...given} />;
}

const ShortTable = ({ columns, children }: Props) => (
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
      <tbody>
        {/* Where it stands within a row of another table, its rows are none of that one. */}
        <InPlace value={null}>{children}</InPlace>
      </tbody>
    </table>
  </div>
);

export function Row(row: ComponentProps<'tr'>) {
  const place = useContext(InPlace);
  const inList = place !== null && { 'data-index': place, 'aria-rowindex': place + 2 };
  return <tr {...row} {...inList} className="border-t border-line" />;
}

export const Cell = ({ children, className = '' }: { children: ReactNode; className?: string }) => (
  <td className={`px-3 py-2 ${className}`}>{children}</td>
);
