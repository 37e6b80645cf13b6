-- Nothing starts for whoever is restricted, and workflows tell so.
alter table workflow_decisions drop constraint workflow_decisions_decision_check;
alter table workflow_decisions add constraint workflow_decisions_decision_check check (decision in ('started', 'condition', 'reentry',
  'stopped_contact', 'restricted_contact', 'caused_by_self', 'limit', 'no_subject'));
