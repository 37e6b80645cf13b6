-- When the provider last spoke, aspect by aspect: an old word about a name says nothing against a new one about quality.
-- { "status": "2026-08-21T10:00:00.000Z", "name": … }; an older word that arrives later changes nothing.
alter table wabas drop column provider_said_at, add column said_at jsonb not null default '{}';
alter table senders drop column provider_said_at, add column said_at jsonb not null default '{}';
alter table templates drop column provider_said_at, add column said_at jsonb not null default '{}';
alter table flows drop column provider_said_at, add column said_at jsonb not null default '{}';

-- What a template is to become once the provider agrees: the change asked for, or what it was before it began to go.
alter table templates add column proposed jsonb;
