-- The same rule as before, told in two parts. Types have one dot, and for those an expression decides that the planner
-- puts in place of the call; a function that looks through the filters one by one would be called for every pair of an
-- event and an endpoint, and was most of what handing on an event took.
alter function webhook_subscribes rename to webhook_subscribes_one_by_one;

create function webhook_subscribes(filters text[], event_type text) returns boolean
  language sql immutable parallel safe
  return cardinality(filters) = 0
    or filters && array['*', event_type, left(event_type, strpos(event_type, '.')) || '*']
    or (event_type like '%.%.%' and webhook_subscribes_one_by_one(filters, event_type));
