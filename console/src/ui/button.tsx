import type { ComponentProps } from 'react';

const kinds = {
  primary: 'bg-accent text-on-accent border-accent',
  plain: 'bg-paper text-ink border-edge hover:bg-soft',
  quiet: 'bg-transparent text-accent border-transparent underline hover:bg-soft',
};
export type Kind = keyof typeof kinds;

/** How something that is pressed looks, whatever element it is. */
export const buttonClass = (kind: Kind = 'plain') =>
  `inline-flex min-h-9 items-center justify-center gap-2 rounded-md border px-3 py-1 text-sm font-medium cursor-pointer disabled:cursor-not-allowed disabled:opacity-60 ${kinds[kind]}`;

type Props = ComponentProps<'button'> & { kind?: Kind; busy?: boolean };

export function Button({
  kind = 'plain',
  busy = false,
  type = 'button',
  disabled,
  className,
  ...rest
}: Props) {
  return (
    <button
      {...rest}
      type={type}
      disabled={disabled || busy}
      aria-busy={busy || undefined}
      className={`${buttonClass(kind)} ${className ?? ''}`}
    />
  );
}
