-- The head of a chain is there but for the first link ever. To insert it each time, in case, made everybody wait for whoever
-- was about to change it, wake together and wait for the next; to lock it is to stand in line.
create or replace function chain_next(in_account_sid text, in_livemode boolean, in_chain text, payloads text[])
  returns table (link bigint, sequence bigint, previous_hash bytea, hash bytea)
  language plpgsql as $$
declare
  head chain_heads%rowtype;
begin
  select * into head from chain_heads h
    where h.account_sid = in_account_sid and h.livemode = in_livemode and h.chain = in_chain
    for update;
  if not found then
    insert into chain_heads values (in_account_sid, in_livemode, in_chain, 0, sha256(''))
      on conflict do nothing;
    select * into head from chain_heads h
      where h.account_sid = in_account_sid and h.livemode = in_livemode and h.chain = in_chain
      for update;
  end if;
  for i in 1 .. cardinality(payloads) loop
    link := i;
    sequence := head.sequence + 1;
    previous_hash := head.hash;
    hash := chain_hash(head.hash, sequence, payloads[i]);
    head.sequence := sequence;
    head.hash := hash;
    return next;
  end loop;
  update chain_heads h set sequence = head.sequence, hash = head.hash
    where h.account_sid = in_account_sid and h.livemode = in_livemode and h.chain = in_chain;
end $$;
