// What the browser found out about a certificate, and what the certificate says.
import type { CertifiedConsent, ConsentCertificateClaims } from '@godwit/sdk';
import { Facts } from '../../../ui/facts.tsx';
import { Cell, Row, Table } from '../../../ui/table.tsx';
import { useFormats, useWords } from '../../../words/words.tsx';
import { ConsentStatus } from '../consent-status.tsx';
import type { Verdict } from './verify-certificate.ts';

export function Proven({ verdict }: { verdict: Verdict }) {
  const words = useWords().proof;
  if (!verdict.holds) {
    const { fault, sequence } = verdict;
    return (
      <p role="alert" data-proof="refused" data-fault={fault} className="text-bad">
        {words.refused} {sequence && words.ofLink(sequence)} {words.faults[fault]}
      </p>
    );
  }
  return (
    <div className="grid gap-3" data-proof="holds">
      <p role="status" className="text-good">
        {words.holds}
      </p>
      <Claims claims={verdict.claims} />
    </div>
  );
}

function Claims({ claims }: { claims: ConsentCertificateClaims }) {
  const { proof: words, shell } = useWords();
  const { time, number } = useFormats();
  const { contactSid, accountSid, livemode, iss, iat, consents, omitted, head } = claims;
  return (
    <>
      <Facts
        facts={[
          [words.contact, <code key="contact">{contactSid}</code>],
          [words.account, `${accountSid}, ${livemode ? shell.live : shell.sandbox}`],
          [words.issuer, iss],
          [words.signed, time(new Date(iat * 1_000))],
          ...(omitted > 0 ? [[words.omitted, number(omitted)] as const] : []),
          [words.head, <code key="head">{`${head.sequence} ${head.hash}`}</code>],
        ]}
      />
      <Table columns={[words.link, words.when, words.purpose, words.status, words.source, words.words]}>
        {consents.map((link) => (
          <Link key={link.sequence} link={link} />
        ))}
      </Table>
    </>
  );
}

type Record = { createdAt: string; purpose: string; status: string; source: string };

function Link({ link: { sequence, payload, hash, detail } }: { link: CertifiedConsent }) {
  const { contacts } = useWords();
  const { time } = useFormats();
  const { createdAt, purpose, status, source } = JSON.parse(payload) as Record;
  return (
    <Row data-link={sequence}>
      <Cell>
        {sequence}
        <code className="block max-w-40 truncate text-quiet" title={hash}>
          {hash}
        </code>
      </Cell>
      <Cell className="whitespace-nowrap">{time(createdAt)}</Cell>
      <Cell>{contacts.purposes[purpose as keyof typeof contacts.purposes] ?? purpose}</Cell>
      <Cell>
        <ConsentStatus status={status} />
      </Cell>
      <Cell>{source}</Cell>
      <Cell className="wrap-anywhere">{detail && <code>{detail.text}</code>}</Cell>
    </Row>
  );
}
