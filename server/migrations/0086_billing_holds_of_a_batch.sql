-- Money set aside for several messages at once is one transfer that lists them, instead of one for each.
alter table ledger_transfers add column members json;
alter table ledger_transfers add constraint ledger_transfers_members_check check (members is null or kind = 'hold');
