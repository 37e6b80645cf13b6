-- Documents about money: receipts, statements, invoices, credit notes. Each is the exact JSON that was hashed. It holds the
-- hash of the document before it, so that the documents of an account and environment are one chain, from the first on.
--
-- The head is one row: whoever issues waits for it, and for nothing else of documents. It is locked before a wallet is.
create table billing_document_heads (
  account_sid text not null references accounts,
  livemode boolean not null,
  sequence bigint not null check (sequence >= 0),
  sha256 bytea not null,
  primary key (account_sid, livemode)
);
call protect_tenant_table('billing_document_heads');
call open_to_system('billing_document_heads'); -- verification reads the chains of all accounts
grant select, insert, update on billing_document_heads to godwit_tenant;
grant select on billing_document_heads to godwit_system;

-- The last number given in a series. Given in the transaction that issues, so that no number is missing.
create table billing_document_numbers (
  account_sid text not null references accounts,
  livemode boolean not null,
  series text not null check (series in ('invoice', 'credit_note', 'receipt', 'statement')),
  last_number bigint not null check (last_number > 0),
  primary key (account_sid, livemode, series)
);
call protect_tenant_table('billing_document_numbers');
call open_to_system('billing_document_numbers');
grant select, insert, update on billing_document_numbers to godwit_tenant;
grant select on billing_document_numbers to godwit_system;

-- `subject` is what the document is about: the SID of a receipt, statement or invoice, the id of a credit note.
create table billing_documents (
  account_sid text not null references accounts,
  livemode boolean not null,
  sequence bigint not null check (sequence > 0),
  kind text not null check (kind in ('receipt', 'statement', 'invoice', 'credit_note')),
  subject text not null,
  number text not null,
  issued_at timestamptz not null,
  json text not null,
  sha256 bytea not null,
  previous_sha256 bytea not null,
  primary key (account_sid, livemode, sequence),
  unique (account_sid, livemode, kind, subject),
  unique (account_sid, livemode, number)
);
call protect_tenant_table('billing_documents');
call open_to_system('billing_documents');
call make_append_only('billing_documents');
grant select, insert on billing_documents to godwit_tenant;
grant select on billing_documents to godwit_system;

-- The same as people read it, made from the JSON a moment later. Kept, because a later version of the service may draw
-- the same document in another way.
create table billing_document_pdfs (
  account_sid text not null references accounts,
  livemode boolean not null,
  sequence bigint not null,
  renderer text not null,
  pdf bytea not null,
  sha256 bytea not null,
  rendered_at timestamptz not null,
  primary key (account_sid, livemode, sequence),
  foreign key (account_sid, livemode, sequence) references billing_documents (account_sid, livemode, sequence)
);
call protect_tenant_table('billing_document_pdfs');
call open_to_system('billing_document_pdfs');
call make_append_only('billing_document_pdfs');
grant select, insert on billing_document_pdfs to godwit_tenant;
grant select on billing_document_pdfs to godwit_system;
