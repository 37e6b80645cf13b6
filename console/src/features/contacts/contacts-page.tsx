// The people an account writes to, found by their name or number.
import type { Contact } from '@godwit/sdk';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { memo } from 'react';
import { CursorList } from '../../shell/cursor-list.tsx';
import { MakingHead } from '../../shell/making.tsx';
import { useWorkspace } from '../../shell/workspace.tsx';
import { Button } from '../../ui/button.tsx';
import { Field } from '../../ui/field.tsx';
import { Cell, Row, Table } from '../../ui/table.tsx';
import { useFormats, useWords } from '../../words/words.tsx';
import { ConsentStatus } from './consent-status.tsx';
import { ContactLink } from './contact-link.tsx';
import { NewContact } from './new-contact.tsx';

const from = '/$environment/$account/contacts' as const;

export function ContactsPage() {
  const words = useWords().contacts;
  const { api } = useWorkspace();
  const { q } = useSearch({ from });
  const navigate = useNavigate({ from });
  return (
    <div className="grid gap-4">
      <MakingHead
        title={words.title}
        make={words.make}
        by="createContact"
        form={(close) => <NewContact onCancel={close} />}
      />
      <search>
        <form
          className="flex max-w-xl items-end gap-2"
          onSubmit={(event) => {
            event.preventDefault();
            const asked = String(new FormData(event.currentTarget).get('q')).trim();
            void navigate({ search: { q: asked || undefined } });
          }}
        >
          <div className="flex-1">
            <Field label={words.search} name="q" type="search" defaultValue={q ?? ''} maxLength={128} />
          </div>
          <Button type="submit">{words.find}</Button>
        </form>
      </search>
      <CursorList
        name={['contacts', { q }]}
        load={(page) => api.contacts.list({ q, ...page })}
        none={words.none}
      >
        {(contacts) => <Contacts contacts={contacts} />}
      </CursorList>
    </div>
  );
}

function Contacts({ contacts }: { contacts: Contact[] }) {
  const words = useWords().contacts;
  return (
    <Table columns={[words.name, words.identifiers, words.marketing, words.since]} reuseRows>
      {contacts.map((contact) => (
        <ContactRow key={contact.sid} contact={contact} />
      ))}
    </Table>
  );
}

const ContactRow = memo(({ contact }: { contact: Contact }) => {
  const { sid, displayName, identifiers, consent, createdAt } = contact;
  const { time } = useFormats();
  return (
    <Row>
      <Cell className="max-w-72 wrap-anywhere">
        <ContactLink sid={sid} name={displayName} />
      </Cell>
      <Cell className="wrap-anywhere">{identifiers.map(({ value }) => value).join(', ')}</Cell>
      <Cell>
        <ConsentStatus status={consent.MARKETING.status} />
      </Cell>
      <Cell className="whitespace-nowrap">{time(createdAt)}</Cell>
    </Row>
  );
});
