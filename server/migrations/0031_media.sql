-- Files as they are kept: one row for each content of an account and environment, shared by every media item that has
-- it. The row is written before the file, so that no file is ever without a row that knows it. A row about to go is
-- doomed first and its file removed after; the same content that comes meanwhile gets a row, and a name, of its own.
create table media_files (
  account_sid text not null references accounts,
  livemode boolean not null,
  id uuid not null,
  sha256 text not null check (sha256 ~ '^[0-9a-f]{64}$'),
  size_bytes bigint not null check (size_bytes >= 0),
  stored_at timestamptz,
  touched_at timestamptz not null,
  doomed_at timestamptz,
  created_at timestamptz not null,
  primary key (account_sid, id)
);
create unique index media_files_by_content on media_files (account_sid, livemode, sha256) where doomed_at is null;
create index media_files_by_touch on media_files (touched_at);
call protect_tenant_table('media_files');
call open_to_system('media_files'); -- the sweep of files nobody has
grant select, insert, update on media_files to godwit_tenant;
grant select, update, delete on media_files to godwit_system;

create table media (
  account_sid text not null references accounts,
  livemode boolean not null,
  sid text not null,
  direction text not null check (direction in ('OUTBOUND', 'INBOUND')),
  status text not null check (status in ('PENDING', 'SCANNING', 'READY', 'REJECTED', 'EXPIRED', 'DELETED')),
  -- What was asked for, and what the content turned out to be.
  requested_type text not null check (requested_type in ('AUTO', 'IMAGE', 'AUDIO', 'VIDEO', 'DOCUMENT', 'STICKER')),
  type text check (type in ('IMAGE', 'AUDIO', 'VIDEO', 'DOCUMENT', 'STICKER')),
  declared_mime text,
  mime_type text,
  filename text,
  source_url text,
  -- The provider's name of a received attachment, and whose connection fetches it.
  provider_media_id text,
  provider_sha256 text,
  waba_sid text,
  sender_sid text,
  file_id uuid,
  size_bytes bigint,
  sha256 text,
  -- Received files are kept as they came; not all of them are of a kind that can be sent.
  sendable boolean not null default false,
  scanner text,
  reasons json not null default '[]',
  scan_started_at timestamptz,
  scanned_at timestamptz,
  expires_at timestamptz not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (account_sid, sid),
  foreign key (account_sid, file_id) references media_files,
  -- Only what was looked at is ready, and only what is still there.
  check (status <> 'READY' or (file_id is not null and scanned_at is not null and type is not null))
);
create index media_newest on media (account_sid, livemode, sid desc) where status <> 'DELETED';
create index media_by_file on media (account_sid, file_id) where file_id is not null;
create index media_by_expiry on media (expires_at) where status in ('READY', 'REJECTED');
create index media_unfinished on media (created_at) where status in ('PENDING', 'SCANNING');
call protect_tenant_table('media');
call open_to_system('media'); -- the sweep of what has expired, and of files nobody has
grant select, insert, update on media to godwit_tenant;
grant select on media to godwit_system;

-- The provider's name of a media item on one phone number, until the provider forgets it. A claim keeps two senders from
-- uploading the same file at once.
create table media_provider_ids (
  account_sid text not null references accounts,
  livemode boolean not null,
  media_sid text not null,
  phone_number_id text not null,
  provider_media_id text,
  usable_until timestamptz,
  claimed_until timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (account_sid, media_sid, phone_number_id),
  foreign key (account_sid, media_sid) references media
);
call protect_tenant_table('media_provider_ids');
grant select, insert, update on media_provider_ids to godwit_tenant;
