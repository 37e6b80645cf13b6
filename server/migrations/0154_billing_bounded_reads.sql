-- Documents whose PDF is still to be drawn: written with the document, gone with its PDF. Documents never change, so that those not
-- drawn yet could be told only by reading all of them, at every scrape of the metrics.
create table billing_documents_undrawn (
  account_sid text not null references accounts,
  livemode boolean not null,
  sequence bigint not null,
  issued_at timestamptz not null,
  primary key (account_sid, livemode, sequence),
  foreign key (account_sid, livemode, sequence) references billing_documents (account_sid, livemode, sequence)
);
alter table billing_documents no force row level security;
alter table billing_document_pdfs no force row level security;
insert into billing_documents_undrawn (account_sid, livemode, sequence, issued_at)
select account_sid, livemode, sequence, issued_at from billing_documents d
 where not exists (select from billing_document_pdfs p
   where p.account_sid = d.account_sid and p.livemode = d.livemode and p.sequence = d.sequence);
alter table billing_documents force row level security;
alter table billing_document_pdfs force row level security;
call protect_tenant_table('billing_documents_undrawn');
call open_to_system('billing_documents_undrawn');
grant select, insert, delete on billing_documents_undrawn to godwit_tenant;
grant select on billing_documents_undrawn to godwit_system;

-- What a month's messages were charged for the provider's bill is summed over all accounts each day. Charges of accounts that pay the
-- provider themselves, which may be nearly all, are not in it.
create index charges_passed_on on charges (livemode, charged_at) include (account_sid, wallet_id, pass_through_minor)
  where pass_through_minor <> 0;
