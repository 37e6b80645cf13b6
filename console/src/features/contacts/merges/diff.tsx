// Two contacts and what they would be as one, line by line. What would be new is marked, not only coloured.
import type { Contact } from '@godwit/sdk';
import type { ReactNode } from 'react';
import { Cell, Row, Table } from '../../../ui/table.tsx';
import { useWords } from '../../../words/words.tsx';
import { ConsentStatus } from '../consent-status.tsx';
import { purposes } from '../purposes.ts';

type Props = { survivor: Contact; other: Contact; after: Contact };

export function Diff({ survivor, other, after }: Props) {
  const words = useWords();
  const { contacts, merges } = words;
  const text = (name: string, of: (contact: Contact) => string) => (
    <Line
      key={name}
      name={name}
      shown={[survivor, other, after].map(of)}
      isChanged={of(survivor) !== of(after)}
    />
  );
  const known = new Set(survivor.identifiers.map(({ value }) => value));
  const identifiers = (contact: Contact, marks: boolean) =>
    contact.identifiers.map(({ value }) => (
      <span key={value} className="block">
        <New isNew={marks && !known.has(value)}>{value}</New>
      </span>
    ));
  return (
    <Table columns={[merges.what, merges.now, merges.other, merges.afterwards]}>
      {text(contacts.name, ({ displayName }) => displayName ?? '')}
      <Line
        name={contacts.identifiers}
        shown={[identifiers(survivor, false), identifiers(other, false), identifiers(after, true)]}
        isChanged={after.identifiers.length !== survivor.identifiers.length}
        marked
      />
      {purposes.map((purpose) => (
        <Line
          key={purpose}
          name={contacts.purposes[purpose]}
          shown={[survivor, other, after].map(({ consent }) => (
            <ConsentStatus key="status" status={consent[purpose].status} />
          ))}
          isChanged={survivor.consent[purpose].status !== after.consent[purpose].status}
        />
      ))}
      {text(contacts.locale, ({ locale }) => locale ?? '')}
      {text(contacts.timezone, ({ timezone }) => timezone ?? '')}
      {text(merges.attributes, ({ attributes }) =>
        Object.entries(attributes)
          .map(([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
          .join(', '),
      )}
    </Table>
  );
}

type LineProps = {
  name: string;
  /** Of the one that stays, of the other, and as it would be. */
  shown: ReactNode[];
  isChanged: boolean;
  /** What is new is marked within it already. */
  marked?: boolean;
};

const Line = ({ name, shown: [now, other, after], isChanged, marked = false }: LineProps) => (
  <Row data-changed={isChanged}>
    <Cell className="text-quiet">{name}</Cell>
    <Cell className="wrap-anywhere">{now}</Cell>
    <Cell className="wrap-anywhere">{other}</Cell>
    <Cell className="wrap-anywhere">
      <New isNew={isChanged && !marked}>{after}</New>
    </Cell>
  </Row>
);

const New = ({ isNew, children }: { isNew: boolean; children: ReactNode }) =>
  isNew ? <ins className="text-good">{children}</ins> : children;
