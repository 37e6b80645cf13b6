-- no transaction
-- Which inboxes are somebody's, asked whenever they look at their notifications.
create index concurrently inbox_members_by_user on inbox_members (account_sid, livemode, user_sid);
