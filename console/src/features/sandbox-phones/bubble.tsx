// A message as the customer sees it.
import type { SandboxPhoneButton, SandboxPhoneMessage } from '@godwit/sdk';
import { Button } from '../../ui/button.tsx';
import { Formatted } from '../../ui/text/formatted.tsx';
import { useWords } from '../../words/words.tsx';

/** What a phone shows of a message, whether it was sent or not. */
export type ShownMessage = Pick<
  SandboxPhoneMessage,
  'writtenBy' | 'type' | 'state' | 'header' | 'body' | 'footer' | 'buttons' | 'cards'
>;

type Props = {
  message: ShownMessage;
  /** Absent where nothing can be pressed. */
  onPress?: (button: string) => void;
};

export function Bubble({ message, onPress }: Props) {
  const words = useWords().phone;
  const { writtenBy, type, state, header, body, footer, buttons, cards } = message;
  const isTheirs = writtenBy === 'CUSTOMER';
  const parts = [header, body ?? (cards.length === 0 && !header ? type : null)].filter(
    (part): part is string => Boolean(part),
  );
  return (
    <li
      data-written-by={writtenBy}
      data-state={state}
      className={`max-w-[85%] rounded-lg border border-line p-2 text-sm ${isTheirs ? 'justify-self-end bg-soft' : 'justify-self-start'}`}
    >
      {parts.map((part) => (
        <p key={part} className="whitespace-pre-wrap wrap-anywhere">
          <Formatted text={part} />
        </p>
      ))}
      {footer && <p className="text-quiet wrap-anywhere">{footer}</p>}
      <Buttons buttons={buttons} onPress={onPress} />
      {cards.map((card, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: cards have a place and no name
        <div key={at} className="mt-2 rounded border border-line p-2">
          <p className="wrap-anywhere">
            <Formatted text={[card.header, card.body].filter((part) => part).join('\n')} />
          </p>
          <Buttons buttons={card.buttons} onPress={onPress} />
        </div>
      ))}
      {state && (
        <p className="text-right text-quiet">{words.states[state as keyof typeof words.states] ?? state}</p>
      )}
    </li>
  );
}

/** Only replies come back to the business. */
function Buttons({ buttons, onPress }: { buttons: SandboxPhoneButton[]; onPress?: (id: string) => void }) {
  return (
    <div className="flex flex-wrap gap-1">
      {buttons.map(({ id, kind, title }) => (
        <Button
          key={id}
          disabled={kind !== 'REPLY' || !onPress}
          onClick={() => onPress?.(id)}
          className="wrap-anywhere"
        >
          {title}
        </Button>
      ))}
    </div>
  );
}
