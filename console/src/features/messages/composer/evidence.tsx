import { Fragment } from 'react';
import { SidLink } from '../../../shell/links/sids.tsx';

type Props = { of: Record<string, unknown>; contactSid: string | null };

/** The records that decided, by name, as the service tells them; each leads to the page that shows it. */
export const Evidence = ({ of, contactSid }: Props) => {
  const facts = Object.entries(of).filter(([, value]) => value !== null);
  if (facts.length === 0) return null;
  return (
    <code className="block text-quiet wrap-anywhere">
      {facts.map(([name, value], at) => {
        const text = typeof value === 'string' ? value : JSON.stringify(value);
        return (
          <Fragment key={name}>
            {at > 0 && ', '}
            {name}: <SidLink text={shownBy(text, contactSid)}>{text}</SidLink>
          </Fragment>
        );
      })}
    </code>
  );
};

/** Suppressions and consents are shown with the person. */
const shownBy = (text: string, contactSid: string | null) =>
  /^(SU|CV)[0-9A-Z]{26}$/.test(text) ? (contactSid ?? text) : text;
