// A record that cannot outgrow its room: the oldest give way, and how many there ever were is still known.

export type Ring<T> = {
  add(item: T): void;
  /** The kept ones, oldest first, from a position on. Positions count everything ever added, from 1. */
  page(after: number, limit: number): { items: T[]; last: number };
  total(): number;
  kept(): number;
  /** Puts something else in the place of each; returning the same keeps it. */
  change(next: (item: T) => T): void;
  clear(): void;
};

type Room<T> = {
  most: number;
  mostBytes?: number;
  bytesOf?: (item: T) => number;
  onLeave?: (item: T) => void;
};

export function createRing<T>({
  most,
  mostBytes = Number.POSITIVE_INFINITY,
  bytesOf = () => 0,
  onLeave,
}: Room<T>): Ring<T> {
  let items: T[] = [];
  let start = 0; // items before it have left; they are cut off in one go now and then
  let left = 0;
  let bytes = 0;
  const leave = () => {
    const gone = items[start]!;
    items[start] = undefined as T;
    start += 1;
    left += 1;
    bytes -= bytesOf(gone);
    onLeave?.(gone);
    if (start > 1024 && start * 2 > items.length) {
      items = items.slice(start);
      start = 0;
    }
  };
  return {
    add(item) {
      items.push(item);
      bytes += bytesOf(item);
      while (items.length - start > most || (bytes > mostBytes && items.length - start > 1)) leave();
    },
    page(after, limit) {
      const from = start + Math.max(after - left, 0);
      const found = items.slice(from, from + limit);
      return { items: found, last: left + (from - start) + found.length };
    },
    total: () => left + items.length - start,
    kept: () => items.length - start,
    change(next) {
      for (let at = start; at < items.length; at += 1) {
        const before = items[at]!;
        items[at] = next(before);
        bytes += bytesOf(items[at]!) - bytesOf(before);
      }
    },
    clear() {
      items = [];
      start = 0;
      left = 0;
      bytes = 0;
    },
  };
}
