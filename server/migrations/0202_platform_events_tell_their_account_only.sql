-- Whose subaccount an event is of is told from its account; the column was never filled.
alter table events drop column subaccount_sid;
