// A link in a row of a list. The router's own watches the address, to know whether somebody is where it leads, and has an effect to run
// whenever a row comes or goes: too much for rows that pass by the hundred.
import { type LinkComponent, useRouter } from '@tanstack/react-router';
import type { ComponentProps, MouseEvent } from 'react';

type Props = ComponentProps<'a'> & { to: string; params: Readonly<Record<string, string>> };

/** To an address that was put together, and may be that of no page. */
export function PlainLink({ to, params, onClick, ...anchor }: Props) {
  const router = useRouter();
  const path = to.replace(/\$(\w+)/g, (_, name: string) => encodeURIComponent(params[name]!));
  const go = (event: MouseEvent<HTMLAnchorElement>) => {
    onClick?.(event);
    const inNewTab = event.metaKey || event.ctrlKey || event.shiftKey || event.altKey;
    if (inNewTab || event.button !== 0) return;
    event.preventDefault();
    void router.navigate({ to, params });
  };
  return <a {...anchor} href={`${router.basepath}${path}`} onClick={go} />;
}

/** To an address whose parts are all given; without a search. */
export const RowLink = PlainLink as unknown as LinkComponent<'a'>;
