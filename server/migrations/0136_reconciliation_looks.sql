-- The clock looks across accounts for periods nobody has looked at.
call open_to_system('reconciliation_looks');
grant select on reconciliation_looks to godwit_system;
