-- In a sandbox an erasure also has the simulator forget the person, after each look at the stores.
alter table erasures drop constraint erasures_phase_check;
alter table erasures add constraint erasures_phase_check check (phase in ('CANCEL', 'ERASE', 'FORGET', 'MENTIONS', 'FINISH'));
alter table erasures add column simulator_forgot boolean not null default false;
