// What a table and its rows know of the list they show.
import { createContext } from 'react';

/** A part of a list that is too long to be drawn whole. */
export type Part = {
  /** The place in the list of the first row that is at hand. */
  first: number;
  /** How many rows are known to be there, and whether that is all. */
  count: number;
  isWhole: boolean;
  onSeen(first: number, last: number): void;
  /** Where it begins, for whoever was there before. */
  position: Position | undefined;
  onLeave(position: Position): void;
};

/** Which row stands first, how much of it is hidden, and how tall most rows are. */
export type Position = { row: number; hidden: number; rowHeight: number };

export const InList = createContext<Part | null>(null);

/** The place in the list of a row. */
export const InPlace = createContext<number | null>(null);
