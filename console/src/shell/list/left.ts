// Where somebody left a list, so that going back finds them there. Every step in the browser's history has a name; the same page opened anew begins at its top.
import { hashKey, type QueryKey } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { useState } from 'react';
import type { Position } from '../../ui/rows/in-list.ts';
import type { Chain } from './chain.ts';

export type Left = { chain: Chain; seen: { first: number; last: number }; position: Position };

const kept = 20;
const lists = new Map<string, Left>();

export function useLeft(queryKey: QueryKey) {
  const { history } = useRouter();
  const [name] = useState(() => `${history.location.state.__TSR_key} ${hashKey(queryKey)}`);
  const [left] = useState(() => lists.get(name));
  return { name, left };
}

export function leave(name: string, left: Left): void {
  lists.delete(name);
  lists.set(name, left);
  if (lists.size > kept) lists.delete(lists.keys().next().value!);
}
