// Something to type into, and the entries that fit it, to be picked by arrows and Enter or by a click.
import { Autocomplete } from '@base-ui/react/autocomplete';

export type Pick = { id: string; label: string; hint?: string; run(): void };

type Props = { label: string; none: string; picks: Pick[]; value: string; onType(value: string): void };

export default function PickList({ label, none, picks, value, onType }: Props) {
  return (
    <Autocomplete.Root
      items={picks}
      value={value}
      onValueChange={(typed, { reason }) => reason !== 'item-press' && onType(typed)}
      itemToStringValue={({ label: text, hint = '' }) => `${text} ${hint}`}
      autoHighlight="always"
      inline
      open
    >
      <Autocomplete.Input
        aria-label={label}
        placeholder={label}
        autoFocus
        className="min-h-9 w-full rounded-md border border-edge bg-paper px-2.5 py-1"
      />
      <Autocomplete.Empty className="text-sm text-quiet">{none}</Autocomplete.Empty>
      <Autocomplete.List className="grid gap-0.5">
        {(pick: Pick) => (
          <Autocomplete.Item
            key={pick.id}
            value={pick}
            onClick={pick.run}
            className="flex cursor-pointer justify-between gap-4 rounded px-2.5 py-1.5 text-sm data-highlighted:bg-soft"
          >
            <span className="wrap-anywhere">{pick.label}</span>
            <span className="text-quiet">{pick.hint}</span>
          </Autocomplete.Item>
        )}
      </Autocomplete.List>
    </Autocomplete.Root>
  );
}
