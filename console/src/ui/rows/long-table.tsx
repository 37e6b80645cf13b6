// A table of a list that may have any length: only the rows somebody sees are drawn, and some around them.
import { defaultRangeExtractor, type Range, useVirtualizer, type Virtualizer } from '@tanstack/react-virtual';
import {
  Children,
  cloneElement,
  isValidElement,
  type ReactNode,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import { Waiting } from '../waiting.tsx';
import { InList, InPlace, type Part, type Position } from './in-list.ts';
import { placesFor } from './places.ts';

// One line of text, until the first rows are drawn.
const usualHeight = 37;
const drawnAround = 6;
// How often what is seen is told, in rows: not each of them is a reason to think.
const step = 100;
// Until the table knows how tall it is itself.
const initialRect = { width: 0, height: 800 };

type Props = { columns: readonly string[]; children: ReactNode; part: Part; reuseRows?: boolean };

export function LongTable({ columns, children, part, reuseRows = false }: Props) {
  const { first, count, isWhole, onSeen, position, onLeave } = part;
  const frame = useRef<HTMLDivElement>(null);
  const rows = useMemo(() => rowsAmong(children), [children]);
  const [usual, setUsual] = useState<number | null>(position?.rowHeight ?? null);
  const [focused, setFocused] = useState<number | null>(null);
  // As many rows at all times, so that one comes for each that leaves.
  const most = useRef(0);
  const places = useRef<ReadonlyMap<number, number>>(new Map());
  const virtualizer = useVirtualizer<HTMLDivElement, HTMLTableRowElement>({
    count,
    getScrollElement: () => frame.current,
    estimateSize: () => usual ?? usualHeight,
    overscan: drawnAround,
    initialRect,
    initialOffset: position ? position.row * position.rowHeight + position.hidden : 0,
    rangeExtractor: (range) => {
      most.current = Math.max(most.current, defaultRangeExtractor(range).length);
      return withFocused(windowOf(range, most.current), focused, range.count);
    },
  });
  const { startIndex = 0, endIndex = 0 } = virtualizer.range ?? {};
  const firstSeen = Math.floor(startIndex / step) * step;
  const lastSeen = Math.ceil(endIndex / step) * step;
  useEffect(() => onSeen(firstSeen, lastSeen), [onSeen, firstSeen, lastSeen]);
  useEffect(
    () => () => onLeave(positionOf(virtualizer, usual ?? usualHeight)),
    [onLeave, virtualizer, usual],
  );
  const body = useRef<HTMLTableSectionElement>(null);
  useEffect(() => {
    // Rows that are as tall as was thought leave the whole as tall as it was. So none of them is asked unless one is not.
    const observer = new ResizeObserver(() => {
      const heights = [...body.current!.rows].flatMap(({ dataset, offsetHeight }) =>
        dataset.index === undefined ? [] : [{ at: Number(dataset.index), offsetHeight }],
      );
      if (heights.length > 0)
        setUsual((known) => known ?? Math.min(...heights.map(({ offsetHeight }) => offsetHeight)));
      for (const { at, offsetHeight } of heights) virtualizer.resizeItem(at, offsetHeight);
    });
    observer.observe(body.current!);
    return () => observer.disconnect();
  }, [virtualizer]);
  const head = useRef<HTMLTableRowElement>(null);
  const drawn = virtualizer.getVirtualItems().filter(({ index }) => rows[index - first]);
  const widths = useWidths(head, columns, drawn.length > 0);
  places.current = placesFor(
    places.current,
    drawn.map(({ index }) => index),
  );
  // What is not drawn leaves its room.
  const lines: ReactNode[] = [];
  let end = 0;
  let rooms = 0;
  const leaveRoom = (until: number) => {
    if (until <= end) return;
    // biome-ignore lint/a11y/noAriaHiddenOnFocusable: nothing in it can have the focus
    lines.push(<tr key={`room ${rooms}`} aria-hidden="true" style={{ height: until - end }} />);
    rooms += 1;
  };
  for (const { index, start, end: ownEnd } of drawn) {
    leaveRoom(start);
    const row = rows[index - first]!;
    lines.push(
      <InPlace key={reuseRows ? places.current.get(index) : row.key} value={index}>
        {reuseRows ? cloneElement(row, { key: null }) : row}
      </InPlace>,
    );
    end = ownEnd;
  }
  leaveRoom(virtualizer.getTotalSize());
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it does nothing but remember which row somebody is in
    <div
      ref={frame}
      className="max-h-[75dvh] scroll-pt-10 overflow-auto rounded-lg border border-line bg-paper [overflow-anchor:none]"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: whoever has no mouse scrolls it by the arrow keys
      tabIndex={0}
      onFocus={({ target }) => setFocused(placeOf(target))}
      onBlur={() => setFocused(null)}
    >
      <table
        aria-rowcount={isWhole ? count + 1 : -1}
        className={`w-full text-left text-sm [&_td:not(.truncate)]:whitespace-normal ${widths ? 'table-fixed' : ''}`}
        style={widths ? { minWidth: widths.all } : undefined}
      >
        <thead className="sticky top-0 bg-paper text-quiet">
          <tr ref={head} aria-rowindex={1}>
            {columns.map((name, at) => (
              <th
                key={name}
                scope="col"
                className="px-3 py-2 font-medium"
                style={widths ? { width: widths.each[at] } : undefined}
              >
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody ref={body}>
          <InList value={null}>{lines}</InList>
          {!isWhole && (
            <tr>
              <td colSpan={columns.length} className="px-3 py-2">
                <Waiting />
              </td>
            </tr>
          )}
        </tbody>
      </table>
    </div>
  );
}

/** What stands in a list has keys of its own, and is taken as it is: a list may have hundreds of rows at hand. */
const rowsAmong = (children: ReactNode) =>
  (Array.isArray(children) ? children : Children.toArray(children)).filter(isValidElement);

/** The row somebody is in by keyboard stays, however far they scroll: it would take their place on the page with it. */
function withFocused(drawn: number[], focused: number | null, count: number): number[] {
  if (focused === null || focused >= count || drawn.includes(focused)) return drawn;
  return focused < drawn[0]! ? [focused, ...drawn] : [...drawn, focused];
}

function windowOf({ startIndex, overscan, count }: Range, size: number): number[] {
  const start = Math.max(0, Math.min(startIndex - overscan, count - size));
  return Array.from({ length: Math.min(size, count) }, (_, place) => start + place);
}

type Rows = Virtualizer<HTMLDivElement, HTMLTableRowElement>;

function positionOf({ scrollOffset, range, measurementsCache }: Rows, rowHeight: number): Position {
  const row = range?.startIndex ?? 0;
  return { row, hidden: (scrollOffset ?? 0) - (measurementsCache[row]?.start ?? 0), rowHeight };
}

function placeOf(element: Element): number | null {
  const place = element.closest<HTMLElement>('tr[data-index]')?.dataset.index;
  return place === undefined ? null : Number(place);
}

/** How wide the columns are for the first rows they are drawn with: they stay so, whatever comes. */
function useWidths(
  head: { current: HTMLTableRowElement | null },
  columns: readonly string[],
  isDrawn: boolean,
) {
  const names = columns.join('\n');
  const [known, setKnown] = useState<{ names: string; all: number; each: string[] } | null>(null);
  const widths = known?.names === names ? known : null;
  useLayoutEffect(() => {
    if (widths !== null || !isDrawn || head.current === null) return;
    const each = [...head.current.cells].map((cell) => cell.getBoundingClientRect().width);
    const all = each.reduce((sum, width) => sum + width, 0);
    setKnown({ names, all, each: each.map((width) => `${(100 * width) / all}%`) });
  }, [widths, isDrawn, head, names]);
  useEffect(() => {
    const forget = () => setKnown(null);
    addEventListener('resize', forget);
    return () => removeEventListener('resize', forget);
  }, []);
  return widths;
}
