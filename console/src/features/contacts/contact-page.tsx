// One person: how they are reached, what they agreed to, and what stands against writing to them.
import type { Contact } from '@godwit/sdk';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { useWorkspace } from '../../shell/workspace.tsx';
import { buttonClass } from '../../ui/button.tsx';
import { type Fact, Facts } from '../../ui/facts.tsx';
import { Json } from '../../ui/json.tsx';
import { PageHead } from '../../ui/page-head.tsx';
import { Panel } from '../../ui/panel.tsx';
import { ProblemPanel } from '../../ui/problem.tsx';
import { Waiting } from '../../ui/waiting.tsx';
import { useFormats, useWords } from '../../words/words.tsx';
import { Consents } from './consents.tsx';
import { ContactLink } from './contact-link.tsx';
import { Certificate } from './proof/certificate.tsx';
import { Suppressions } from './suppressions.tsx';

export function ContactPage() {
  const { contact: sid } = useParams({ from: '/$environment/$account/contacts/$contact' });
  const words = useWords().contacts;
  const { api, can, here, key } = useWorkspace();
  const { data, error, refetch } = useQuery({
    queryKey: [...key, 'contacts', sid],
    queryFn: () => api.contacts.get(sid),
  });
  if (error) return <ProblemPanel error={error} retry={refetch} />;
  if (!data) return <Waiting />;
  const phone = data.identifiers.find(({ identifierType }) => identifierType === 'phone_e164');
  return (
    <div className="grid gap-4">
      <PageHead title={data.displayName || sid}>
        <div className="flex flex-wrap gap-2">
          {data.status === 'ACTIVE' && can('previewContactMerge') && (
            <Link
              to="/$environment/$account/contacts/$contact/merge"
              params={{ ...here, contact: sid }}
              search={{}}
              className={buttonClass()}
            >
              {words.mergeAnother}
            </Link>
          )}
          {phone && can('sendMessage') && can('listSenders') && (
            <Link
              to="/$environment/$account/messages/new"
              params={here}
              search={{ to: phone.value }}
              className={buttonClass('primary')}
            >
              {words.write}
            </Link>
          )}
        </div>
      </PageHead>
      <div className="grid items-start gap-4 lg:grid-cols-2">
        <What contact={data} />
        <Suppressions contact={data} />
      </div>
      <Consents contact={data} />
      <Certificate contactSid={sid} />
    </div>
  );
}

function What({ contact }: { contact: Contact }) {
  const words = useWords().contacts;
  const { time } = useFormats();
  const { sid, status, mergedInto, identifiers, locale, timezone, attributes, restrictedBy } = contact;
  const facts: Fact[] = [
    [words.sid, <code key="sid">{sid}</code>],
    [words.status, words.contactStatuses[status as keyof typeof words.contactStatuses] ?? status],
    ...(mergedInto ? [[words.mergedInto, <ContactLink key="into" sid={mergedInto} />] as const] : []),
    ...(restrictedBy ? [[words.restrictedBy, <code key="by">{restrictedBy}</code>] as const] : []),
    ...[...Map.groupBy(identifiers, ({ identifierType }) => identifierType)].map(
      ([type, all]): Fact => [
        words.identifierTypes[type as keyof typeof words.identifierTypes] ?? type,
        all.map(({ value }) => value).join(', '),
      ],
    ),
    ...(locale ? [[words.locale, locale] as const] : []),
    ...(timezone ? [[words.timezone, timezone] as const] : []),
    [words.since, time(contact.createdAt)],
  ];
  return (
    <Panel title={words.facts}>
      <Facts facts={facts} />
      {Object.keys(attributes).length > 0 && <Json value={attributes} />}
    </Panel>
  );
}
