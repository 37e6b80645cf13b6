-- Which messages carry a file: whoever removes the file asks whether one of them is under a legal hold. Each names the contact it was
-- first for, as messages do.
create table media_uses (
  account_sid text not null references accounts,
  livemode boolean not null,
  media_sid text not null,
  message_sid text not null,
  contact_sid text not null,
  sender_sid text not null,
  campaign_sid text,
  created_at timestamptz not null,
  primary key (account_sid, media_sid, message_sid)
);
create index media_uses_of_message on media_uses (account_sid, message_sid);
call protect_tenant_table('media_uses');
grant select, insert, delete on media_uses to godwit_tenant;

insert into media_uses (account_sid, livemode, media_sid, message_sid, contact_sid, sender_sid, campaign_sid, created_at)
select distinct m.account_sid, m.livemode, item.sid, m.sid, coalesce(m.origin_contact_sid, m.contact_sid), m.sender_sid,
  m.campaign_sid, m.created_at
  from messages m
 cross join lateral (
   select found[1] as sid from regexp_matches(m.content::text, '"sid"\s*:\s*"(ME[0-9A-HJKMNP-TV-Z]{26})"', 'g') as found) as item
  join media on media.account_sid = m.account_sid and media.sid = item.sid
 where m.type <> 'text';

-- Files that are gone for everybody and still lie in the store, because a hold keeps them.
create index media_kept_by_hold on media (account_sid, sid) where file_id is not null and status in ('EXPIRED', 'DELETED');
