-- A charge's id begins with its time, so that it orders the charges of a sender or a campaign by itself; and a sender is one
-- account's. The wider indexes took half of what a charge costs to write.
drop index charges_by_sender;
drop index charges_by_campaign;
create index charges_by_sender on charges (sender_sid, id);
create index charges_by_campaign on charges (campaign_sid, id) where campaign_sid is not null;
