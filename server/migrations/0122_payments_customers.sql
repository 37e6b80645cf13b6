-- A customer the service does not know any more is replaced by a new one.
grant update (customer_id, created_at) on payment_customers to godwit_tenant;
-- What the proof of the cash reads, of all accounts.
call open_to_system('payment_disputes');
grant select on payment_disputes to godwit_system;
